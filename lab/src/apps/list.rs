//! The applications: where their schemas are, and how an installer runs them.

use std::sync::LazyLock;

use regex::Regex;

/// An application's schema.
pub struct App {
    /// Name of the application in the table of results, and of the schema that it is loaded into.
    pub name: &'static str,
    pub package: Package,
    /// Files of the package, in the order in which an installer runs them.
    pub files: &'static [&'static str],
    /// Options of `CREATE DATABASE`, as the application's installer sets them.
    pub database: &'static str,
    /// Converts a file's content to statements.
    pub edit: fn(&str) -> String,
}

/// Package that has the schema.
pub enum Package {
    /// Debian package. `sha256` is that of the files, one after the other: apt verifies the
    /// package.
    Debian { name: &'static str, sha256: &'static str },
    /// Jar of a Maven repository, with its own hash.
    Maven { artifact: &'static str, version: &'static str, sha256: &'static str },
}

const fn debian(name: &'static str, sha256: &'static str) -> Package {
    Package::Debian { name, sha256 }
}

const fn maven(artifact: &'static str, version: &'static str, sha256: &'static str) -> Package {
    Package::Maven { artifact, version, sha256 }
}

pub const APPS: [App; 25] = [
    App {
        name: "activiti",
        package: maven(
            "org.activiti:activiti-engine",
            "6.0.0",
            "d9b458b791aa134d402fac1af9dcd4ea3d46be99fff70e87b41337592188ee3e",
        ),
        files: &[
            "org/activiti/db/create/activiti.mysql.create.engine.sql",
            "org/activiti/db/create/activiti.mysql.create.history.sql",
            "org/activiti/db/create/activiti.mysql.create.identity.sql",
        ],
        database: UTF8MB4_BIN,
        edit: keep,
    },
    App {
        name: "bacula",
        package: debian("bacula-director-mysql", "6fec0e0eeacd6b934bf7eaa57ba6e15aff61829819ac20bfded824b2c1dde204"),
        files: &["usr/share/dbconfig-common/data/bacula-director-mysql/install/mysql"],
        database: "CHARACTER SET latin1",
        edit: keep,
    },
    App {
        name: "cacti",
        package: debian("cacti", "193f49a27a8163dd1cf260dee7247f36b6a06c1ebc1d3b7848b2663b7f33cd08"),
        files: &["usr/share/cacti/conf_templates/cacti.sql"],
        database: UTF8MB4_UNICODE_CI,
        edit: keep,
    },
    App {
        name: "camunda",
        package: maven(
            "org.camunda.bpm:camunda-engine",
            "7.21.0",
            "f9b85692140db8724264b04872ae8d2e6735b176f9e5a5a710e0820c0b455caa",
        ),
        files: &[
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.engine.sql",
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.identity.sql",
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.history.sql",
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.case.engine.sql",
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.case.history.sql",
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.decision.engine.sql",
            "org/camunda/bpm/engine/db/create/activiti.mysql.create.decision.history.sql",
        ],
        database: UTF8MB4_BIN,
        edit: keep,
    },
    App {
        name: "ejabberd",
        package: debian("ejabberd", "1e2e9d0b51a3a5774190c1f596ae0ebe80b9577a01ea10429c72b707c6f89dfe"),
        files: &["usr/share/ejabberd/sql/mysql.new.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "icinga2-ido",
        package: debian("icinga2-ido-mysql", "ab5c21080b1106b2e8cfd25e2e4ac5bf192479b04e6020424dc27cbb30dcb5d4"),
        files: &["usr/share/icinga2-ido-mysql/schema/mysql.sql"],
        database: "CHARACTER SET latin1",
        edit: keep,
    },
    App {
        name: "icingadb",
        package: debian("icingadb", "de8ea9ad660521ba3b89d1024b81ebf78754906e51df8f9de05ed36a850a39dd"),
        files: &["usr/share/icingadb/schema/mysql/schema.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "icingaweb2",
        package: debian("icingaweb2", "8f53734ef78a91a3290a22dbe3f1c5ab9bddefdeeea228b88a0447c3bad33ae1"),
        files: &["usr/share/icingaweb2/schema/mysql.schema.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "jbpm",
        package: maven(
            "org.jbpm:jbpm-db-scripts",
            "7.74.1.Final",
            "d99b21f47772393b47831474c44cf454100f442bdde72444a5bf57ecde427df2",
        ),
        files: &["db/ddl-scripts/mysqlinnodb/mysql-innodb-jbpm-schema.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "kamailio",
        package: debian("kamailio-mysql-modules", "6f3f983c9fae5ed3adff854a658642c83a84fac38a56484de77db25264ad7f22"),
        files: &[
            "usr/share/kamailio/mysql/standard-create.sql",
            "usr/share/kamailio/mysql/acc-create.sql",
            "usr/share/kamailio/mysql/lcr-create.sql",
            "usr/share/kamailio/mysql/domain-create.sql",
            "usr/share/kamailio/mysql/group-create.sql",
            "usr/share/kamailio/mysql/permissions-create.sql",
            "usr/share/kamailio/mysql/registrar-create.sql",
            "usr/share/kamailio/mysql/usrloc-create.sql",
            "usr/share/kamailio/mysql/msilo-create.sql",
            "usr/share/kamailio/mysql/alias_db-create.sql",
            "usr/share/kamailio/mysql/uri_db-create.sql",
            "usr/share/kamailio/mysql/speeddial-create.sql",
            "usr/share/kamailio/mysql/avpops-create.sql",
            "usr/share/kamailio/mysql/auth_db-create.sql",
            "usr/share/kamailio/mysql/pdt-create.sql",
            "usr/share/kamailio/mysql/dialog-create.sql",
            "usr/share/kamailio/mysql/dispatcher-create.sql",
            "usr/share/kamailio/mysql/dialplan-create.sql",
            "usr/share/kamailio/mysql/topos-create.sql",
            "usr/share/kamailio/mysql/presence-create.sql",
            "usr/share/kamailio/mysql/rls-create.sql",
        ],
        database: "CHARACTER SET latin1",
        edit: keep,
    },
    App {
        name: "kea",
        package: debian("kea-admin", "49dfd56c612c8cc8c940f0153cbbbe42774e7c91283ef1ff77b89411c157b779"),
        files: &["usr/share/kea/scripts/mysql/dhcpdb_create.mysql"],
        database: UTF8MB4,
        edit: keep,
    },
    // MediaWiki stores text as bytes. The file has a comment as a placeholder for the table
    // options.
    App {
        name: "mediawiki",
        package: debian("mediawiki", "88df4bd2ac7c67f4708345fbcc4c598d2867b9e48ed7d14cceb304f0753dbde9"),
        files: &["usr/share/mediawiki/maintenance/tables-generated.sql"],
        database: "CHARACTER SET latin1",
        edit: |text| text.replace("/*$wgDBTableOptions*/", "ENGINE=InnoDB DEFAULT CHARSET=binary"),
    },
    App {
        name: "opendmarc",
        package: debian("opendmarc", "aa07f966542828857ca6b825bb9b699e6911c1ad73e16e2c9dc0c29fa687760d"),
        files: &["usr/share/dbconfig-common/data/opendmarc/install/mysql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "phpmyadmin",
        package: debian("phpmyadmin", "8adbe90f95990036772b387c0bb63a37b1ba8540dd877cc6fb248d41b97ab70b"),
        files: &["usr/share/phpmyadmin/sql/create_tables.sql"],
        database: "CHARACTER SET utf8 COLLATE utf8_bin",
        edit: keep,
    },
    App {
        name: "powerdns",
        package: debian("pdns-backend-mysql", "4a83ec4bec3470080ed76a75f83c50af6c6900a0686780e8003158410f6bbad4"),
        files: &[
            "usr/share/pdns-backend-mysql/schema/schema.mysql.sql",
            "usr/share/pdns-backend-mysql/schema/enable-foreign-keys.mysql.sql",
        ],
        database: "CHARACTER SET latin1",
        edit: keep,
    },
    App {
        name: "quartz",
        package: maven(
            "org.quartz-scheduler:quartz",
            "2.3.2",
            "639c6a675bc472e1568df9d8c954ff702da6f83ed27da0ff9a7bd12ed73b8bf0",
        ),
        files: &["org/quartz/impl/jdbcjobstore/tables_mysql_innodb.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "roundcube",
        package: debian("roundcube-core", "f88d48cea3819ee50642d53fa6ef7894f0af03395881c5d902cbab8d0bf5486f"),
        files: &["usr/share/roundcube/SQL/mysql.initial.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "rsyslog",
        package: debian("rsyslog-mysql", "d539ef292b58d6cd87a116222d6765b03b0d9af78d409e100af1e644007cc800"),
        files: &["usr/share/dbconfig-common/data/rsyslog-mysql/install/mysql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "spring-batch",
        package: maven(
            "org.springframework.batch:spring-batch-core",
            "5.1.2",
            "db00a1cf4ee3c3b10ab63242fe905153a075e1aa3671b79ed1e62c74b6e66840",
        ),
        files: &["org/springframework/batch/core/schema-mysql.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "spring-session",
        package: maven(
            "org.springframework.session:spring-session-jdbc",
            "3.3.1",
            "45d1aca008a31e768dff439b367a04ebbaab404a1105da3d81d7a8af40f77a9b",
        ),
        files: &["org/springframework/session/jdbc/schema-mysql.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "tango",
        package: debian("tango-db", "a3eea22702b7eddd8f4991d2a61cbed9035ccf27fb4ed541efab0b9624f5b9a0"),
        files: &["usr/share/tango-db/create_db_tables.sql", "usr/share/tango-db/stored_proc.sql"],
        database: "CHARACTER SET latin1",
        edit: keep,
    },
    App {
        name: "tt-rss",
        package: debian("tt-rss", "f0a06f1c4564f1911f4b8806e46a102841fb0324604d7fce7a5c703cda21ef3f"),
        files: &["usr/share/tt-rss/schema/ttrss_schema_mysql.sql"],
        database: UTF8MB4,
        edit: keep,
    },
    App {
        name: "wordpress",
        package: debian("wordpress", "98f7c4e18aba2a9218369791b99f58ee4cb64fbca99b810959f5bfb754da1d02"),
        files: &["usr/share/wordpress/wp-admin/includes/schema.php"],
        database: UTF8MB4,
        edit: extract_wordpress_sql,
    },
    App {
        name: "zabbix",
        package: debian("zabbix-server-mysql", "35778c0797cdea63d256362af40fa0fe82ac585d9ba67658d6dc375d0e1fbdd6"),
        files: &["usr/share/zabbix-server-mysql/schema.sql.gz"],
        database: UTF8MB4_BIN,
        edit: keep,
    },
    App {
        name: "zoneminder",
        package: debian("zoneminder", "b918142d9a79ca2c6c7f569adc9363732bd545dfbade60f73c64d1169aefd4a0"),
        files: &["usr/share/zoneminder/db/zm_create.sql", "usr/share/zoneminder/db/triggers.sql"],
        database: UTF8MB4,
        edit: keep,
    },
];

const UTF8MB4: &str = "CHARACTER SET utf8mb4";
const UTF8MB4_BIN: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";
const UTF8MB4_UNICODE_CI: &str = "CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci";

fn keep(text: &str) -> String {
    text.to_owned()
}

/// Removes statements that would leave the schema or change the session: `CREATE DATABASE`, `USE`,
/// `SET CHARACTER SET`, `source` commands, and lines that save or restore `@sqlmode`.
pub fn without_schema_statements(script: &str) -> String {
    static REMOVED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?im)^\s*(create database[^;]*|use\s+`?\w+`?\s*);|^\s*set character set \w+;|^source .*$|^.*@sqlmode.*$",
        )
        .expect("the pattern is valid")
    });
    REMOVED.replace_all(script, "").into_owned()
}

/// Removes character sets and collations, so that tables get the defaults of their schema.
pub fn without_collations(script: &str) -> String {
    static OWN: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"(?i)\b(default\s+)?(character\s+set|charset|collate)\s*=?\s*'?(utf8|latin1|ascii|binary)\w*'?")
            .expect("the pattern is valid")
    });
    OWN.replace_all(script, "").into_owned()
}

/// Extracts the statements from WordPress' PHP, each table once, and fills in its variables.
fn extract_wordpress_sql(php: &str) -> String {
    let filled = php
        .replace("$wpdb->", "wp_")
        .replace("$charset_collate", "DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci")
        .replace("$max_index_length", "191");
    let mut tables: Vec<&str> = Vec::new();
    let mut sql = String::new();
    for statement in
        filled.split("CREATE TABLE wp_").skip(1).filter_map(|rest| rest.split_once(';')).map(|(one, _)| one)
    {
        let name = statement.split_whitespace().next().unwrap_or_default();
        if !tables.contains(&name) {
            tables.push(name);
            sql.push_str(&format!("CREATE TABLE wp_{statement};\n"));
        }
    }
    sql
}
