//! Rows that exceed the limit of 65,535 bytes, or InnoDB's of half a page.

use facts::RowFormat;
use rules::pages::{counts_short_columns, max_page_row_bytes};
use rules::rows::MAX_ROW_BYTES;

use super::{Check, CheckFunction};
use crate::finding::{Finding, table_finding};
use crate::job::{Job, TableJob};
use crate::limits::{is_too_wide, may_be_instant, needs_dynamic_format, page_row_bytes, row_bytes};
use check::{Reading, Severity};

pub static CHECK: Check = Check {
    name: "row-size",
    title: "tables whose rows could exceed 65,535 bytes, or half a page of InnoDB",
    reads: &[Reading::Settings, Reading::Schemas],
    doc: "The columns of a row may take 65,535 bytes at most, each VARCHAR at its full length in bytes, each TEXT or BLOB with 9 to 12 bytes. \
              InnoDB keeps a row within half a page (8,125 bytes of 16 KiB). Columns of fixed length count whole, and of each column of variable length a part \
              that depends on server and row format: in DYNAMIC 40 bytes on MySQL; on MariaDB from 10.5 on 20 bytes, but all of a VARCHAR of up to 255. \
              ALTER TABLE ends with error 1118. Without innodb_strict_mode, a table that exceeds only half a page passes, and InnoDB refuses rows \
              that are too long; the limit of 65,535 bytes stays. The half page is not computed for ROW_FORMAT=COMPRESSED and pages of 64 KiB.",
    run: CheckFunction::Facts(run),
};

fn run(job: &Job<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for table in job.tables.iter().filter(|table| !table.conversions.is_empty()) {
        for (target, name) in job.targets.iter().enumerate() {
            findings.extend(check_row(job, table, target, name).or_else(|| check_page(job, table, target, name)));
        }
    }
    findings
}

fn check_row(job: &Job<'_>, table: &TableJob<'_>, target: usize, name: &str) -> Option<Finding> {
    let (before, after) = (row_bytes(job.facts, table, None), row_bytes(job.facts, table, Some(target)));
    if after <= MAX_ROW_BYTES {
        return None;
    }
    let mut finding = table_finding(&CHECK, Severity::Error, table, name);
    finding.details.count = after;
    finding.what = format!("a row could take {after} bytes (now {before}), and the limit is {MAX_ROW_BYTES}");
    finding.why = "ALTER TABLE ends with error 1118 (row size too large)".into();
    let longest = table
        .conversions
        .iter()
        .filter(|one| one.column.data_type == "varchar" && !is_too_wide(job.facts, one, target))
        .max_by_key(|conversion| conversion.column.characters);
    finding.action = match longest {
        Some(conversion) => {
            format!("make the longest columns TEXT, {} first, or shorten them", conversion.column.name)
        }
        None => "make the longest columns TEXT, or shorten them".into(),
    };
    Some(finding)
}

fn check_page(job: &Job<'_>, table: &TableJob<'_>, target: usize, name: &str) -> Option<Finding> {
    let server = &job.facts.server;
    let limit = max_page_row_bytes(server)?;
    let format = match needs_dynamic_format(job.facts, table, target) {
        true => RowFormat::Dynamic,
        false => table.table.row_format,
    };
    let before = page_row_bytes(job.facts, table, None, table.table.row_format)?;
    let after = page_row_bytes(job.facts, table, Some(target), format)?;
    if after <= limit {
        return None;
    }
    let is_strict = server.variable("innodb_strict_mode").is_none() || server.is_on("innodb_strict_mode");
    let (severity, why) = if !is_strict {
        (
            Severity::Warning,
            "innodb_strict_mode is off: ALTER TABLE passes with a warning, and InnoDB refuses rows that are too long (error 1118)",
        )
    } else if may_be_instant(job.facts, table, target) {
        (
            Severity::Warning,
            "ALTER TABLE ends with error 1118 if it copies the table; if it is instant, it passes, and InnoDB refuses rows that are too long",
        )
    } else {
        (Severity::Error, "ALTER TABLE ends with error 1118 (row size too large)")
    };
    let mut finding = table_finding(&CHECK, severity, table, name);
    finding.details.count = after;
    finding.what =
        format!("of a row, {after} bytes have to stay in its page (now {before}), and half a page holds {limit}");
    finding.why = why.into();
    let dynamic = page_row_bytes(job.facts, table, Some(target), RowFormat::Dynamic).filter(|bytes| *bytes <= limit);
    finding.action = match dynamic {
        Some(bytes) if format != RowFormat::Dynamic => {
            format!("set ROW_FORMAT=DYNAMIC first: {bytes} bytes then stay in the page")
        }
        _ if counts_short_columns(server, format) => {
            "make columns of up to 255 bytes longer than that, or TEXT: 20 bytes of each then stay in the page".into()
        }
        _ => "move columns to a second table, or shorten them".into(),
    };
    Some(finding)
}
