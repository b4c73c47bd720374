//! Functions of MySQL and MariaDB, by what a call can do: compute a value, report on the server or
//! the session, or act.
//!
//! Functions that compute or report are harmless: they have no side effects for others and do not
//! wait. Not harmless are functions that read files (`LOAD_FILE`), wait or lock (`SLEEP`,
//! `BENCHMARK`, `GET_LOCK`, `…_WAIT_…`), change the server (`SETVAL`), or were loaded from a
//! library.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Words that can stand before a parenthesis without calling a function.
const KEYWORDS: &str = " against all and any array as between binary both by case character columns cross cube current_row distinct \
    distinctrow div else escape except exclude exists false fields filter from group having ignore in index inner insert intersect \
    interval into is join key keys lateral left like limit minus mod natural not null offset on or order ordinality outer over \
    partition path primary range regexp replace return returning right rlike rollup row rows select separator set some sounds \
    straight_join then true union unique until update use using value values when where while with within xor \
    if elseif \
    char varchar nchar varbinary decimal dec numeric fixed float double real bit tinyint smallint mediumint int integer bigint \
    datetime timestamp time date year text tinytext mediumtext longtext blob tinyblob mediumblob longblob enum signed unsigned \
    json precision varying national vector \
    of ";

/// Functions that only compute a value, of MySQL 5.6 to 9.7 and MariaDB 10.1 to 12.
const COMPUTING_FUNCTIONS: &str = " abs acos add_months adddate addtime aes_decrypt aes_encrypt any_value ascii asin atan atan2 avg \
    bin bin_to_uuid binary bit_and bit_count bit_length bit_or bit_xor cast ceil ceiling char char_length character_length charset \
    chr coalesce coercibility collation column_add column_check column_create column_delete column_exists column_get column_json \
    column_list compress concat concat_operator_oracle concat_ws contains conv convert convert_tz cos cot count crc32 crc32c crosses cume_dist curdate \
    current_date current_role current_time current_timestamp current_user curtime database date date_add date_format date_sub \
    datediff day dayname dayofmonth dayofweek dayofyear decode decode_histogram decode_oracle default degrees dense_rank des_decrypt \
    des_encrypt disjoint elt encode encrypt envelope equals exp export_set extract extractvalue field find_in_set first_value \
    floor format format_bytes format_pico_time from_base64 from_days from_unixtime get_format greatest group_concat grouping hex \
    hour if ifnull inet_aton inet_ntoa inet6_aton inet6_ntoa insert instr intersects interval is_ipv4 is_ipv4_compat is_ipv4_mapped \
    is_ipv6 is_uuid isempty isnull isclosed issimple json_array json_array_append json_array_insert json_array_intersect json_arrayagg \
    json_compact json_contains json_contains_path json_depth json_detailed json_equals json_exists json_extract json_insert json_key_value \
    json_keys json_length json_loose json_merge json_merge_patch json_merge_preserve json_normalize json_object json_object_filter_keys \
    json_object_to_array json_objectagg json_overlaps json_pretty json_query json_quote json_remove json_replace json_schema_valid \
    json_schema_validation_report json_search json_set json_storage_free json_storage_size json_table json_type json_unquote json_valid \
    json_value kdf lag last_day last_value lcase lead least left length lengthb ln localtime localtimestamp locate log log10 log2 lower \
    lpad lpad_oracle ltrim ltrim_oracle make_set makedate maketime match max mbrcontains mbrcoveredby mbrcovers mbrdisjoint mbrequal \
    mbrequals mbrintersects mbroverlaps mbrtouches mbrwithin md5 median microsecond mid min minute mod month monthname months_between \
    name_const natural_sort_key now nth_value ntile nullif nvl nvl2 oct octet_length old_password ord overlaps password percent_rank \
    percentile_cont percentile_disc period_add period_diff pi point position pow power quarter quote radians rand random_bytes rank \
    regexp_instr regexp_like regexp_replace regexp_substr repeat replace replace_oracle reverse right roles_graphml round row row_number \
    rpad rpad_oracle rtrim rtrim_oracle schema sec_to_time second sformat sha sha1 sha2 sign sin soundex space sqrt \
    st_area st_asbinary st_asgeojson st_astext st_aswkb st_aswkt st_boundary st_buffer st_buffer_strategy st_centroid st_collect \
    st_contains st_convexhull st_crosses st_difference st_dimension st_disjoint st_distance st_distance_sphere st_endpoint st_envelope \
    st_equals st_exteriorring st_frechetdistance st_geohash st_geomcollfromtext st_geomcollfromwkb st_geometrycollectionfromtext \
    st_geometryfromtext st_geometryfromwkb st_geometryn st_geometrytype st_geomfromgeojson st_geomfromtext st_geomfromwkb \
    st_hausdorffdistance st_interiorringn st_intersection st_intersects st_isclosed st_isempty st_isring st_issimple st_isvalid \
    st_latfromgeohash st_latitude st_length st_linefromtext st_linefromwkb st_lineinterpolatepoint st_lineinterpolatepoints \
    st_linestringfromtext st_longfromgeohash st_longitude st_makeenvelope st_mlinefromtext st_mpointfromtext st_mpolyfromtext \
    st_multilinestringfromtext st_multipointfromtext st_multipolygonfromtext st_numgeometries st_numinteriorring st_numinteriorrings \
    st_numpoints st_overlaps st_pointatdistance st_pointfromgeohash st_pointfromtext st_pointfromwkb st_pointn st_pointonsurface \
    st_polyfromtext st_polygonfromtext st_relate st_simplify st_srid st_startpoint st_swapxy st_symdifference st_touches st_transform \
    st_union st_validate st_within st_x st_y std stddev stddev_pop stddev_samp str_to_date strcmp subdate substr substr_oracle substring \
    substring_index subtime sum sys_guid sysdate system_user tan time time_format time_to_sec timediff timestamp timestampadd \
    timestampdiff to_base64 to_char to_date to_days to_seconds touches trim trim_oracle trunc truncate ucase uncompress \
    uncompressed_length unhex unix_timestamp updatexml upper user utc_date utc_time utc_timestamp uuid uuid_short uuid_to_bin uuid_v4 \
    uuid_v7 validate_password_strength value values var_pop var_samp variance vec_distance vec_distance_cosine vec_distance_euclidean \
    vec_fromtext vec_totext vector_dim vector_to_string string_to_vector version week weekday weekofyear weight_string within \
    geometrycollection linestring multilinestring multipoint multipolygon polygon geometryfromtext geometryfromwkb geomfromtext \
    geomfromwkb asbinary astext aswkb aswkt area centroid glength numpoints pointn pointfromtext srid startpoint x y year yearweek \
    statement_digest statement_digest_text icu_version rownum session_user gtid_subset gtid_subtract json_append json_duality_object \
    etag to_vector from_vector distance vector_distance boundary buffer convexhull pointonsurface dimension \
    geometryn geometrytype isring numgeometries geomcollection endpoint exteriorring interiorringn numinteriorrings \
    geomcollfromtext geometrycollectionfromtext linefromtext linestringfromtext mlinefromtext mpointfromtext mpolyfromtext \
    multilinestringfromtext multipointfromtext multipolygonfromtext polyfromtext polygonfromtext geomcollfromwkb \
    geometrycollectionfromwkb linefromwkb linestringfromwkb mlinefromwkb mpointfromwkb mpolyfromwkb multilinestringfromwkb \
    multipointfromwkb multipolygonfromwkb pointfromwkb polyfromwkb polygonfromwkb st_geometrycollectionfromwkb st_linestringfromwkb \
    st_mlinefromwkb st_mpointfromwkb st_mpolyfromwkb st_multilinestringfromwkb st_multipointfromwkb st_multipolygonfromwkb \
    st_polyfromwkb st_polygonfromwkb st_geomcollfromtxt ";

/// Functions that report on the server or the session and change nothing for others. A workload may
/// not call them: their result is of another session.
const REPORTING_FUNCTIONS: &str = " connection_id found_rows is_free_lock is_used_lock last_insert_id lastval \
    mysql_query_attribute_string normalize_statement ps_current_thread_id ps_thread_id row_count \
    wsrep_last_seen_gtid wsrep_last_written_gtid ";

/// Functions of servers that act or wait, and those of a known library of loadable functions.
const ACTING_FUNCTIONS: &str = " asynchronous_connection_failover_add_source benchmark binlog_gtid_pos get_lock \
    lib_mysqludf_sys_info load_file master_gtid_wait master_pos_wait nextval release_all_locks release_lock \
    setval sleep source_pos_wait spider_bg_direct_sql spider_copy_tables spider_direct_sql spider_flush_table_mon_cache \
    sql_thread_wait_after_gtids sys_eval sys_exec sys_get sys_set wait_for_executed_gtid_set \
    wait_until_sql_thread_after_gtids wsrep_sync_wait_upto_gtid ";

/// Returns true for a function of the servers, also for one that acts or waits.
pub fn is_server_function(name: &str) -> bool {
    is_harmless_function(name) || ACTING_FUNCTION_SET.contains(name.to_ascii_lowercase().as_str())
}

/// Returns true for a function of the servers that has no side effects for others and does not
/// wait.
pub fn is_harmless_function(name: &str) -> bool {
    is_computing_function(name) || REPORTING_FUNCTION_SET.contains(name.to_ascii_lowercase().as_str())
}

/// Returns true for a function of the servers that only computes a value.
pub fn is_computing_function(name: &str) -> bool {
    COMPUTING_FUNCTION_SET.contains(name.to_ascii_lowercase().as_str())
}

/// Returns true for a word that can stand before a parenthesis without calling a function.
pub fn may_precede_parenthesis(word: &str) -> bool {
    KEYWORD_SET.contains(word.to_ascii_lowercase().as_str())
}

type Words = LazyLock<HashSet<&'static str>>;

static KEYWORD_SET: Words = LazyLock::new(|| KEYWORDS.split_ascii_whitespace().collect());
static COMPUTING_FUNCTION_SET: Words = LazyLock::new(|| COMPUTING_FUNCTIONS.split_ascii_whitespace().collect());
static REPORTING_FUNCTION_SET: Words = LazyLock::new(|| REPORTING_FUNCTIONS.split_ascii_whitespace().collect());
static ACTING_FUNCTION_SET: Words = LazyLock::new(|| ACTING_FUNCTIONS.split_ascii_whitespace().collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_that_reach_out_are_not_harmless() {
        for name in ["load_file", "sleep", "benchmark", "get_lock", "setval", "nextval", "master_pos_wait"] {
            assert!(!is_harmless_function(name) && !may_precede_parenthesis(name), "{name}");
            assert!(is_server_function(name), "{name}");
        }
        for name in ["", "a b", "total"] {
            assert!(!is_server_function(name) && !may_precede_parenthesis(name), "{name}");
        }
        for name in ["COUNT", "concat", "Substring", "json_extract", "y"] {
            assert!(is_computing_function(name), "{name}");
        }
        assert!(is_harmless_function("FOUND_ROWS") && !is_computing_function("found_rows"));
    }
}
