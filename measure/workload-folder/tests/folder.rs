//! Reading, checking and writing of workload folders.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use sql::Value;
use workload_folder::{CellType, Column, FolderWriter, Manifest, Protocol, Severity, StatementHeader, check, read};

fn write(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

const SHOP: [(&str, &str); 5] = [
    ("workload.toml", "format = 1\n"),
    ("schema.sql", "CREATE TABLE customers (id INT PRIMARY KEY, mail VARCHAR(80));\n"),
    ("rows/customers.csv", "id:int,mail\n1,ann@example.org\n2,\\N\n"),
    ("statements/by_mail.sql", "SELECT id FROM customers WHERE mail = :mail\n"),
    ("statements/by_mail.csv", "mail\nann@example.org\n"),
];

#[test]
fn reads_a_small_workload() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), &SHOP);
    let (workload, checked) = check(place.path());
    assert_eq!(checked.faults, []);
    assert_eq!((checked.tables, checked.rows, checked.statements, checked.samples), (1, 2, 1, 1));
    let workload = workload.unwrap();
    assert_eq!(workload.statements[0].with_values(0), "SELECT id FROM customers WHERE mail = 'ann@example.org'");
    let mut rows = workload.rows[0].open().unwrap();
    let mut row = Vec::new();
    assert!(rows.read(&mut row).unwrap());
    assert_eq!(row, [Some(Value::Int(1)), Some(Value::Text("ann@example.org".to_owned()))]);
    assert!(rows.read(&mut row).unwrap() && row[1].is_none());
    assert!(!rows.read(&mut row).unwrap());
}

#[test]
fn reads_compressed_rows() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), &SHOP[..2]);
    write(place.path(), &SHOP[3..]);
    fs::create_dir(place.path().join("rows")).unwrap();
    let file = fs::File::create(place.path().join("rows/customers.csv.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::default());
    std::io::Write::write_all(&mut packed, SHOP[2].1.as_bytes()).unwrap();
    packed.finish().unwrap();
    assert_eq!(check(place.path()).1.rows, 2);
}

/// Table of a file that pyarrow wrote, with columns of 14 types.
const ITEMS: &str = "CREATE TABLE items (id INT PRIMARY KEY, name VARCHAR(40), day DATE, at TIME(6), moment DATETIME(6), nanos DATETIME(6), \
                     millis DATETIME(3), price DECIMAL(10,2), ratio DOUBLE, small FLOAT, big BIGINT UNSIGNED, tiny TINYINT, flag BOOLEAN, raw \
                     VARBINARY(8));\n";

fn copy_fixture(from: &str, to: &Path) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(from);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::copy(from, to).unwrap();
}

#[test]
fn reads_rows_in_parquet() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path();
    write(root, &[SHOP[0], ("schema.sql", ITEMS), ("statements/all.sql", "SELECT id FROM items\n")]);
    // One file, then a folder of two files.
    for (files, rows) in [(&["items.parquet"][..], 3), (&["items.parquet/1.parquet", "items.parquet/2.parquet"], 6)] {
        let _ = fs::remove_file(root.join("rows/items.parquet"));
        files.iter().for_each(|file| {
            copy_fixture("formats/parquetfile/tests/fixtures/items.parquet", &root.join("rows").join(file))
        });
        let (workload, checked) = check(root);
        assert_eq!((checked.faults, checked.rows), (Vec::new(), rows));
        let workload = workload.unwrap();
        let (mut reader, mut row) = (workload.rows[0].open().unwrap(), Vec::new());
        assert!(reader.read(&mut row).unwrap());
        let text = |text: &str| Some(Value::Text(text.to_owned()));
        assert_eq!(row[..3], [Some(Value::Int(1)), text("Straße"), text("2024-02-29")]);
        assert_eq!(row[7..9], [Some(Value::Decimal("12.34".to_owned())), Some(Value::Float("1e-1".to_owned()))]);
        assert_eq!(row[13], Some(Value::Bytes(vec![0, 255])));
        assert!((1..rows).all(|_| reader.read(&mut row).unwrap()) && !reader.read(&mut row).unwrap());
    }
}

#[test]
fn reports_faults_of_parquet_files() {
    let place = tempfile::tempdir().unwrap();
    let schema = "CREATE TABLE people (id INT, town VARCHAR(20), nane VARCHAR(20));\nCREATE TABLE torn (id INT);\n";
    write(place.path(), &[SHOP[0], ("schema.sql", schema), ("statements/all.sql", "SELECT id FROM people\n")]);
    write(place.path(), &[("rows/torn.parquet", "PAR1"), ("rows/people.csv", "id:int\n1\n")]);
    copy_fixture("advise/preflight/tests/fixtures/people.parquet", &place.path().join("rows/people.parquet"));
    let faults: Vec<String> = check(place.path()).1.faults.iter().map(ToString::to_string).collect();
    let expected = [
        "rows/people.parquet: error: tags is nested or has a type that tables don't have; leave it out",
        "rows/people.parquet: error: the table people has no column name; did you mean nane?",
        "rows/people.parquet: error: a second file of rows for people",
        "rows/torn.parquet: error: can't be read: ",
    ];
    assert_eq!(faults.len(), expected.len(), "{faults:#?}");
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(expected), "{fault}");
    }
}

#[test]
fn digests_the_files_that_are_read() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (place.path().join("one"), place.path().join("other"));
    write(&one, &SHOP);
    write(&other, &SHOP);
    let digest = |root: &Path| read(root).unwrap().digest().unwrap();
    assert_eq!(digest(&one), digest(&other));
    assert!(digest(&one).len() == 64 && digest(&one).bytes().all(|byte| byte.is_ascii_hexdigit()));
    write(&other, &[("notes.md", "Nothing reads this.")]);
    assert_eq!(digest(&one), digest(&other));
    for (name, text) in SHOP {
        write(&other, &[(name, &format!("{text}\n"))]);
        assert_ne!(digest(&one), digest(&other), "{name}");
        write(&other, &[(name, text)]);
    }
}

#[test]
fn reports_faults_with_their_location() {
    let place = tempfile::tempdir().unwrap();
    write(
        place.path(),
        &[
            ("workload.toml", "format = 1\nprotocol = \"binary\"\n"),
            SHOP[1],
            ("rows/customers.csv", "id:int,male\n1,a\nx,b\n2\n"),
            ("rows/custmers.csv", "id:int\n"),
            ("rows/notes.xml", ""),
            SHOP[3],
            ("statements/by_mail.csv", "mail,name\nann,\n"),
            ("statements/lost.csv", "a\n1\n"),
            ("statements/many.sql", "SELECT 1 FROM customers WHERE id = :id"),
            ("statements/many.csv", "id:int\n5.5\n"),
            ("statements/none.sql", "SELECT 1 FROM customers WHERE id = :id"),
            ("statements/none.csv", "id:int\n"),
            ("statements/slow.sql", "-- one that waits\n-- @think_seconds = 1e9\nSELECT 1 FROM customers"),
            ("stray.bin", ""),
        ],
    );
    let (workload, checked) = check(place.path());
    assert!(workload.is_none());
    let faults: Vec<String> = checked.faults.iter().map(ToString::to_string).collect();
    let expected = [
        "workload.toml:2:12: error: unknown variant `binary`",
        "rows/custmers.csv: error: schema.sql has no table custmers; did you mean customers?",
        "rows/customers.csv:1: error: the table customers has no column male; did you mean mail?",
        "rows/customers.csv:3: error: id: `x` is not an integer",
        "rows/customers.csv:4: error: 1 fields where the head has 2",
        "rows/notes.xml: warning: unused file",
        "statements/by_mail.csv:1: warning: the statement has no parameter :name",
        "statements/lost.csv: warning: unused file; there is no statement lost.sql",
        "statements/many.csv:2: error: id: `5.5` is not an integer",
        "statements/none.csv: error: there are no samples",
        "statements/slow.sql:2:5: error: think_seconds must be from 0 to 3600",
        "stray.bin: warning: unused file",
    ];
    for (fault, expected) in faults.iter().zip(expected) {
        assert!(fault.starts_with(expected), "{fault}\n{expected}\n{faults:#?}");
    }
    assert_eq!(faults.len(), expected.len(), "{faults:#?}");
    let error = read(place.path()).unwrap_err();
    assert!(error.faults.iter().all(|fault| fault.severity == Severity::Error));
    assert!(error.to_string().contains("weigh workload check"), "{error}");
}

#[test]
fn reports_what_an_empty_folder_lacks() {
    let place = tempfile::tempdir().unwrap();
    let faults: Vec<String> = check(place.path()).1.faults.iter().map(ToString::to_string).collect();
    assert_eq!(faults.len(), 3, "{faults:#?}");
    write(place.path(), &[("workload.toml", "format = 9\n"), ("schema.sql", "")]);
    let faults: Vec<String> = check(place.path()).1.faults.iter().map(ToString::to_string).collect();
    assert!(faults[0].starts_with("workload.toml:1:1: error: format 9"), "{faults:#?}");
    // The name goes into a statement.
    write(place.path(), &[("workload.toml", "format = 1\n[session]\ncharset = \"latin1', GLOBAL x = 1 -- \"\n")]);
    let faults: Vec<String> = check(place.path()).1.faults.iter().map(ToString::to_string).collect();
    assert!(faults[0].starts_with("workload.toml:3:1: error: charset is the name"), "{faults:#?}");
}

#[test]
fn writes_private_files_that_read_back() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("shop");
    let folder = FolderWriter::create(&root).unwrap();
    let manifest = Manifest { format: workload_folder::FORMAT, protocol: Protocol::Prepared, ..Manifest::default() };
    folder.write_manifest(&manifest).unwrap();
    folder.write_schema("CREATE TABLE t (a text, b blob);\n").unwrap();
    let mut rows =
        folder.create_rows("t", vec![Column::new("a", CellType::Text), Column::new("b", CellType::Hex)]).unwrap();
    let row = vec![Some(Value::Text("x,\"\n\\N".to_owned())), Some(Value::Bytes(vec![0, 255]))];
    rows.write(&row).unwrap();
    rows.finish().unwrap();
    let columns = [Column { is_list: true, ..Column::new("ids", CellType::Int) }];
    let sample = vec![Some(Value::List(vec![Value::Int(1), Value::Int(2)]))];
    let header = StatementHeader { weight: 3.0, ..StatementHeader::default() };
    folder
        .write_statement("one", &header, "SELECT a FROM t WHERE b IN (:ids)", &columns, std::slice::from_ref(&sample))
        .unwrap();
    folder.finish();
    let workload = read(&root).unwrap();
    assert_eq!((workload.manifest, &workload.statements[0].header), (manifest, &header));
    assert_eq!(workload.statements[0].samples, [sample]);
    let mut back = Vec::new();
    workload.rows[0].open().unwrap().read(&mut back).unwrap();
    assert_eq!(back, row);
    for name in ["workload.toml", "schema.sql", "rows/t.csv", "statements/one.sql", "statements/one.csv"] {
        let mode = fs::metadata(root.join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    assert_eq!(fs::metadata(&root).unwrap().permissions().mode() & 0o777, 0o700);
    assert!(FolderWriter::create(&root).unwrap_err().to_string().contains("not empty"));
}

#[test]
fn removes_an_unfinished_folder() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("shop");
    drop(FolderWriter::create(&root).unwrap());
    assert!(!root.exists());
}

/// The owner of a folder above exchanges it while root captures.
#[test]
fn files_lie_in_the_folder_that_was_created() {
    for finishes in [true, false] {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let folder = FolderWriter::create(&at("home/shop")).unwrap();
        let mut rows = folder.create_rows("t", vec![Column::new("a", CellType::Int)]).unwrap();
        rows.close().unwrap();
        for name in ["rows", "statements"] {
            fs::create_dir_all(at("elsewhere/shop").join(name)).unwrap();
        }
        fs::write(at("elsewhere/shop/rows/t.csv"), "precious").unwrap();
        fs::rename(at("home"), at("moved")).unwrap();
        std::os::unix::fs::symlink(at("elsewhere"), at("home")).unwrap();
        folder.write_manifest(&Manifest { format: 1, ..Manifest::default() }).unwrap();
        folder.write_schema("CREATE TABLE t (a int);\n").unwrap();
        rows.write(&[Some(Value::Int(1))]).unwrap();
        rows.finish().unwrap();
        folder.write_statement("s", &StatementHeader::default(), "SELECT a FROM t", &[], &[]).unwrap();
        if finishes {
            folder.finish();
            assert_eq!(fs::read_to_string(at("moved/shop/rows/t.csv")).unwrap(), "a:int\n1\n");
            for name in ["workload.toml", "schema.sql", "statements/s.sql"] {
                assert!(at("moved/shop").join(name).exists(), "{name}");
            }
        } else {
            drop(folder);
            assert!(!at("moved/shop").exists());
        }
        assert_eq!(fs::read_to_string(at("elsewhere/shop/rows/t.csv")).unwrap(), "precious");
        assert_eq!(fs::read_dir(at("elsewhere/shop")).unwrap().count(), 2);
        assert_eq!(fs::read_dir(at("elsewhere/shop/statements")).unwrap().count(), 0);
    }
}

#[test]
fn keeps_an_empty_folder_that_existed() {
    let place = tempfile::tempdir().unwrap();
    let folder = FolderWriter::create(place.path()).unwrap();
    folder.write_manifest(&Manifest { format: 1, ..Manifest::default() }).unwrap();
    folder.write_schema("CREATE TABLE t (a int);\n").unwrap();
    folder.create_rows("t", vec![Column::new("a", CellType::Int)]).unwrap().finish().unwrap();
    drop(folder);
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
}

#[test]
fn names_of_tables_stay_in_the_folder() {
    let place = tempfile::tempdir().unwrap();
    let root = place.path().join("inner/workload");
    let names = ["../../out", "/abs/path", "a/*b", "a`b\n", "CON", &"(".repeat(64)];
    let folder = FolderWriter::create(&root).unwrap();
    folder.write_manifest(&Manifest { format: 1, ..Manifest::default() }).unwrap();
    let tables = names.map(|name| format!("CREATE TABLE {} (`id` int);\n", sql::quote_identifier(name)));
    folder.write_schema(&tables.concat()).unwrap();
    for name in names {
        let mut rows = folder.create_rows(name, vec![Column::new("id", CellType::Int)]).unwrap();
        rows.write(&[Some(Value::Int(1))]).unwrap();
        rows.finish().unwrap();
    }
    folder.write_statement("../s", &StatementHeader::default(), "SELECT id FROM `CON`", &[], &[]).unwrap();
    folder.finish();
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    let (workload, checked) = check(&root);
    assert_eq!((checked.faults, checked.rows, checked.statements), (Vec::new(), names.len() as u64, 1));
    let tables: Vec<_> = workload.unwrap().rows.into_iter().map(|file| file.table).collect();
    assert_eq!(tables, names);
}

/// A small file that unpacks to a field of 70 MiB.
#[test]
fn long_fields_are_refused() {
    let place = tempfile::tempdir().unwrap();
    write(place.path(), &SHOP[..2]);
    write(place.path(), &SHOP[3..]);
    fs::create_dir(place.path().join("rows")).unwrap();
    let file = fs::File::create(place.path().join("rows/customers.csv.gz")).unwrap();
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, b"id:int,mail\n1,\"").unwrap();
    let part = [b'x'; 1 << 20];
    (0..70).for_each(|_| std::io::Write::write_all(&mut packed, &part).unwrap());
    packed.finish().unwrap();
    let (_, checked) = check(place.path());
    assert!(checked.faults[0].message.contains("is longer than 67108864 bytes"), "{:?}", checked.faults);
}
