//! Reads a file that pyarrow wrote, damaged copies of it, and files with INT96.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::data_type::{Int32Type, Int96, Int96Type};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
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
fn reports_missing_columns_and_truncated_files() {
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

/// Writes a file of two row groups with a column `at` of INT96.
fn write_int96(path: &Path, values: &[Option<[u32; 3]>], repetition: &str) {
    let schema = format!("message t {{ required int32 id; {repetition} int96 at; }}");
    let schema = Arc::new(parse_message_type(&schema).unwrap());
    let mut writer = SerializedFileWriter::new(fs::File::create(path).unwrap(), schema, Arc::default()).unwrap();
    for (at, some) in values.chunks(values.len().div_ceil(2)).enumerate() {
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let ids: Vec<i32> = (0..some.len()).map(|id| (at * 10 + id) as i32).collect();
        column.typed::<Int32Type>().write_batch(&ids, None, None).unwrap();
        column.close().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        let levels: Vec<i16> = some.iter().map(|value| i16::from(value.is_some())).collect();
        let words: Vec<Int96> = some.iter().flatten().map(|value| Int96::from(value.to_vec())).collect();
        let levels = (repetition == "optional").then_some(&levels[..]);
        column.typed::<Int96Type>().write_batch(&words, levels, None).unwrap();
        column.close().unwrap();
        group.close().unwrap();
    }
    writer.close().unwrap();
}

#[test]
fn timestamps_of_12_bytes_keep_microseconds() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    // Nanoseconds within the day, low word first, and the Julian day: 2,440,588 is 1970-01-01.
    let nanos = 45_296_789_012_345_u64;
    let (low, high) = (nanos as u32, (nanos >> 32) as u32);
    let values = [Some([1_999, 0, 2_440_588]), None, Some([low, high, 2_460_370]), Some([0, 0, 2_299_161])];
    write_int96(&path, &values, "optional");
    let expected = [
        text("1970-01-01 00:00:00.000001"),
        None,
        text("2024-02-29 12:34:56.789012"),
        text("1582-10-15 00:00:00.000000"),
    ];
    let read = |names: &[&str]| {
        let (mut rows, mut row, mut all) =
            (Table::from_path(&path).unwrap().rows(names.iter().copied()), Vec::new(), Vec::new());
        while rows.read(&mut row).unwrap() {
            all.push(row.clone());
        }
        all
    };
    assert_eq!(read(&["at", "id"]).iter().map(|row| row[0].clone()).collect::<Vec<_>>(), expected);
    assert_eq!(read(&["at"]).concat(), expected);
    let values = values.map(|value| value.or(Some([0, 0, 2_440_588])));
    write_int96(&path, &values, "required");
    assert_eq!(read(&["at"]).len(), 4);
    assert_eq!(read(&["at"])[1], [text("1970-01-01 00:00:00.000000")]);
}
