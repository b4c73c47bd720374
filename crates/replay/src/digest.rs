//! What a folder holds, as a number: a run that goes on after days must find the workload that it began with.

use std::fs::File;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::read::{MANIFEST, STATEMENTS, Workload};
use crate::{rows, schema};

impl Workload {
    /// SHA-256 of the files that it was read from, in hexadecimal. It is the same wherever the folder is; a file that nothing reads is not part of it.
    ///
    /// # Errors
    /// If a file can't be read.
    pub fn digest(&self) -> io::Result<String> {
        let mut digest = Sha256::new();
        let rows = self.rows.iter().filter_map(|file| file.path.file_name());
        let rows = rows.map(|name| format!("{}/{}", rows::FOLDER, name.to_string_lossy()));
        let statements = self.statements.iter().flat_map(|one| {
            let samples = (!one.parameters.is_empty()).then(|| format!("{STATEMENTS}/{}.csv", one.name));
            std::iter::once(format!("{STATEMENTS}/{}.sql", one.name)).chain(samples)
        });
        let fixed = [MANIFEST, schema::FILE].map(str::to_owned);
        for name in fixed.into_iter().chain(rows).chain(statements) {
            let mut file = File::open(self.root.join(&name))?;
            // Each with its name and length in front: no two folders are the same bytes in a row.
            digest.update(format!("{name} {}\n", file.metadata()?.len()));
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
