//! Digest of a workload folder. A resumed run compares it with the digest at its start.

use std::fs::File;
use std::io::{self, Read};

use sha2::{Digest, Sha256};

use crate::read::{MANIFEST, STATEMENTS, Workload};
use crate::schema;

impl Workload {
    /// Returns the SHA-256 of the files that the workload was read from, in hexadecimal. It doesn't
    /// depend on the folder's path; other files in the folder don't count.
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
            let mut file = files::open_regular(&path)?;
            let name = path.strip_prefix(&self.root).unwrap_or(&path);
            // Name and length precede each file, so that different folders never have the same
            // bytes.
            digest.update(format!("{} {}\n", name.display(), file.metadata()?.len()));
            update_from_file(&mut digest, &mut file)?;
        }
        Ok(digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }
}

fn update_from_file(digest: &mut Sha256, file: &mut File) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 18];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(()),
            length => digest.update(&buffer[..length]),
        }
    }
}
