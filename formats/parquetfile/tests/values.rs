//! Reads files that pyarrow wrote.

use std::fs;
use std::path::{Path, PathBuf};

use parquetfile::{ColumnKind, Table, Value};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn text(text: &str) -> Option<Value> {
    Some(Value::Text(text.to_owned()))
}

fn decimal(digits: &str) -> Option<Value> {
    Some(Value::Decimal(digits.to_owned()))
}

#[test]
fn every_type_has_a_value() {
    let table = Table::from_path(&fixture("items.parquet")).unwrap();
    let columns = table.columns().unwrap();
    let kinds: Vec<ColumnKind> = columns.iter().map(|column| column.kind.unwrap()).collect();
    let times = [ColumnKind::Time; 5];
    let rest = [
        ColumnKind::Decimal,
        ColumnKind::Float,
        ColumnKind::Float,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Int,
        ColumnKind::Bytes,
    ];
    assert_eq!(kinds, [&[ColumnKind::Int, ColumnKind::Text][..], &times, &rest].concat());
    let mut rows = table.rows(columns.iter().map(|column| column.name.as_str()));
    let mut row = Vec::new();
    assert!(rows.read(&mut row).unwrap());
    let moment = "2024-02-29 12:34:56.789012";
    let first = [
        Some(Value::Int(1)),
        text("Straße"),
        text("2024-02-29"),
        text("12:34:56.789012"),
        text(moment),
        text(moment),
        text("2024-02-29 12:34:56.789000"),
        decimal("12.34"),
        Some(Value::Float(0.1)),
        Some(Value::Float(0.1)),
        decimal("18446744073709551615"),
        Some(Value::Int(-128)),
        Some(Value::Int(1)),
        Some(Value::Bytes(vec![0, 255])),
    ];
    assert_eq!(row, first);
    assert!(rows.read(&mut row).unwrap());
    assert_eq!(row[2..5], [text("1969-12-31"), text("00:00:00.000000"), text("1969-12-31 23:59:59.999000")]);
    assert_eq!(
        row[7..11],
        [decimal("-0.05"), Some(Value::Float(-1e300)), Some(Value::Float(16_777_216.0)), Some(Value::Int(7))]
    );
    assert!(rows.read(&mut row).unwrap());
    assert!(row[0] == Some(Value::Int(3)) && row[1..].iter().all(Option::is_none), "{row:?}");
    assert!(!rows.read(&mut row).unwrap());
}

#[test]
fn reads_columns_in_requested_order_and_files_in_sequence() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["b.parquet", "a.parquet", "_notes.parquet", "_SUCCESS"] {
        fs::copy(fixture("items.parquet"), folder.path().join(name)).unwrap();
    }
    let table = Table::from_path(folder.path()).unwrap();
    assert_eq!(table.files(), [folder.path().join("a.parquet"), folder.path().join("b.parquet")]);
    let (mut rows, mut row, mut ids) = (table.rows(["name", "id"]), Vec::new(), Vec::new());
    while rows.read(&mut row).unwrap() {
        assert_eq!(row.len(), 2);
        ids.push(row[1].clone().unwrap());
    }
    assert_eq!(ids, [1, 2, 3, 1, 2, 3].map(Value::Int));
}

#[test]
fn reports_unsupported_files() {
    let folder = tempfile::tempdir().unwrap();
    let told = |table: &Table, name| table.rows([name]).read(&mut Vec::new()).unwrap_err().to_string();
    assert!(Table::from_path(folder.path()).unwrap_err().to_string().contains("the folder has no .parquet file"));
    let table = Table::from_path(&fixture("items.parquet")).unwrap();
    assert!(told(&table, "nmae").contains("there is no column nmae"));
    let file = folder.path().join("a.parquet");
    fs::write(&file, "PAR1").unwrap();
    let told = Table::from_path(&file).unwrap().columns().unwrap_err().to_string();
    assert!(told.contains("a.parquet: ") && !told.contains("Parquet error"), "{told}");
    // Truncated, as by a full disk.
    let whole = fs::read(fixture("items.parquet")).unwrap();
    for cut in [0, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&file, &whole[..cut]).unwrap();
        assert!(Table::from_path(&file).unwrap().columns().is_err(), "{cut}");
    }
}

/// A file with damaged bytes is an error or a table; the Parquet library's panics don't get out.
#[test]
fn damaged_files_do_not_panic() {
    let good = fs::read(fixture("items.parquet")).unwrap();
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("damaged.parquet");
    for at in (0..good.len()).step_by(good.len() / 400 + 1) {
        for byte in [0, 127, 255] {
            let mut bytes = good.clone();
            bytes[at] = byte;
            fs::write(&path, bytes).unwrap();
            let table = Table::from_path(&path).unwrap();
            let Ok(columns) = table.columns() else { continue };
            let names: Vec<_> =
                columns.iter().filter(|column| column.kind.is_some()).map(|one| one.name.clone()).collect();
            let (mut rows, mut row) = (table.rows(names.iter().map(String::as_str)), Vec::new());
            while let Ok(true) = rows.read(&mut row) {}
        }
    }
}
