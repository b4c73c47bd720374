//! What a folder holds, as a number: a run that goes on after days must find the workload that it began with.

use std::fs::File;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::read::{MANIFEST, STATEMENTS, Workload};
use crate::schema;

impl Workload {
    /// SHA-256 of the files that it was read from, in hexadecimal. It is the same wherever the folder is; a file that nothing reads is not part of it.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn digest(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        let mut files = vec![self.root.join(MANIFEST), self.root.join(schema::FILE)];
        for rows in &self.rows {
            files.extend(rows.files()?);
        }
        for statement in &self.statements {
            let text = self.root.join(STATEMENTS).join(format!("{}.sql", statement.name));
            files.extend((!statement.parameters.is_empty()).then(|| text.with_extension("csv")));
            files.push(text);
        }
        for path in files {
            let mut file = File::open(&path)?;
            let name = path.strip_prefix(&self.root).unwrap_or(&path);
            // Each with its name and length in front: no two folders are the same bytes in a row.
            digest.update(format!("{} {}\n", name.display(), file.metadata()?.len()));
            update(&mut digest, &mut file)?;
        }
        Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn update(digest: &mut Sha256, file: &mut File) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            length => digest.update(&buffer[..length]),
        }
    }
}
