//! Files of a dump: one file, or those of a folder.

use std::path::{Path, PathBuf};

use crate::error::Error;

/// Returns the dump's file, or the folder's `.sql` files, also with `.gz`, `.zst` and `.xz`, those
/// with definitions (`-schema`) first. Fails if the folder has files whose rows would be missed.
pub fn sql_files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let read_error = |source| Error::File { path: path.to_owned(), source };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(path).map_err(read_error)?.flatten().map(|entry| entry.path()).collect();
    let mut unread: Vec<String> = files.iter().filter(|file| has_unread_rows(file)).map(|file| name(file)).collect();
    if !unread.is_empty() {
        unread.sort();
        let problem = format!(
            "{} can't be read (.sql, .sql.gz, .sql.zst and .sql.xz can): unpack, or dump rows as INSERT",
            message::list_names(&unread, 1)
        );
        return Err(Error::Content { path: path.to_owned(), problem });
    }
    files.retain(|file| unpacked_name(&name(file)).ends_with(".sql"));
    files.sort_by_key(|file| (!name(file).contains("-schema"), file.clone()));
    Ok(files)
}

/// True for files with rows that are not read: `.sql` in another packing, data of mydumper
/// (`.dat`, `.csv`) and of MySQL Shell (`.tsv`), and `t.txt` of mysqldump --tab, which comes with
/// `t.sql`.
fn has_unread_rows(file: &Path) -> bool {
    let name = name(file);
    let unpacked = unpacked_name(&name);
    let is_data = [".dat", ".csv", ".tsv"].iter().any(|ending| unpacked.ends_with(ending));
    let has_definition = || file.with_extension("sql").is_file();
    !unpacked.ends_with(".sql") && name.contains(".sql.") || is_data || name.ends_with(".txt") && has_definition()
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Removes `.gz`, `.zst` or `.xz` from a file name.
fn unpacked_name(name: &str) -> &str {
    [".gz", ".zst", ".xz"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a folder `dump.sql-schema.d` with empty files.
    fn folder(place: &Path, names: &[&str]) -> PathBuf {
        let folder = place.join("dump.sql-schema.d");
        std::fs::create_dir_all(&folder).unwrap();
        names.iter().for_each(|name| std::fs::write(folder.join(name), "").unwrap());
        folder
    }

    #[test]
    fn definitions_are_read_before_rows_in_any_folder() {
        let place = tempfile::tempdir().unwrap();
        let folder = folder(place.path(), &["shop.a.sql", "shop.b-schema.sql", "shop.c.sql.gz", "metadata"]);
        let names: Vec<_> = sql_files(&folder).unwrap().iter().map(|file| name(file)).collect();
        assert_eq!(names, ["shop.b-schema.sql", "shop.a.sql", "shop.c.sql.gz"]);
    }

    #[test]
    fn refuses_files_of_rows_in_other_forms() {
        let place = tempfile::tempdir().unwrap();
        let folder = folder(&place.path().join("shop.sql.d"), &["shop.t.sql", "metadata", "README.txt"]);
        assert_eq!(sql_files(&folder).unwrap().len(), 1);
        for ending in ["sql.bz2", "00000.dat", "00000.csv", "00000.csv.zst", "tsv.zst", "txt"] {
            let unread = folder.join(format!("shop.t.{ending}"));
            std::fs::write(&unread, "").unwrap();
            let error = sql_files(&folder).unwrap_err().to_string();
            assert!(error.contains(&format!("shop.t.{ending} can't be read")), "{error}");
            std::fs::remove_file(&unread).unwrap();
        }
        assert!(sql_files(&folder).is_ok());
    }
}
