//! What a profile leaves on disk: folded stacks, flame graphs, and the figures.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::flame;
use crate::model::{FORMAT, Profile, Profiles};
use crate::resolve::Resolved;
use crate::summary::Sorted;

/// The folder of profiles in a run's folder.
pub const FOLDER: &str = "profile";
const FILE: &str = "profiles.json";

/// Writes the figures of all profiles.
pub fn write(folder: &Path, profiles: &Profiles) -> Result<(), Error> {
    let mut text = serde_json::to_string_pretty(profiles).expect("a profile is plain data");
    text.push('\n');
    put(folder, FILE, text.as_bytes())
}

/// Reads the profiles of a run's folder; `None` where it has none.
pub fn read(run: &Path) -> Result<Option<Profiles>, Error> {
    let path = run.join(FOLDER).join(FILE);
    let text = match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(Error::io("read", &path))?,
    };
    let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
    let profiles: Profiles = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
    if profiles.format != FORMAT {
        return Err(malformed(format!("its format is {}, not {FORMAT}", profiles.format)));
    }
    Ok(Some(profiles))
}

/// Draws the flame graphs of a profile, and notes their names in it.
pub(crate) fn graphs(
    profile: &mut Profile,
    resolved: &Resolved,
    sorted: &[Sorted<'_>],
    folder: &Path,
    prefix: &str,
) -> Result<(), Error> {
    let folded: Vec<String> = sorted.iter().map(|side| flame::fold(resolved, side.stacks())).collect();
    let names: Vec<String> = profile.sides.iter().map(|side| format!("{prefix}{}", file_name(&side.label))).collect();
    for ((side, folded), name) in profile.sides.iter_mut().zip(&folded).zip(&names) {
        let svg = flame::graph(&format!("{}: {}", side.label, profile.title), folded)?;
        side.folded = Some(put_named(folder, &format!("{name}.folded"), folded.as_bytes())?);
        side.flame_graph = Some(put_named(folder, &format!("{name}.svg"), &svg)?);
    }
    for difference in &mut profile.differences {
        let side = difference.side;
        let (label, first) = (&profile.sides[side].label, &profile.sides[0].label);
        let title = format!("{label} against {first}: red takes more, blue less; {}", profile.title);
        let svg = flame::difference(&title, &folded[0], &folded[side])?;
        difference.flame_graph =
            Some(put_named(folder, &format!("{}-against-{}.svg", names[side], file_name(first)), &svg)?);
    }
    Ok(())
}

fn put_named(folder: &Path, name: &str, bytes: &[u8]) -> Result<String, Error> {
    put(folder, name, bytes)?;
    Ok(name.to_owned())
}

fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let path: PathBuf = folder.join(name);
    fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)).map_err(Error::io("write", &path))
}

/// A label as part of a file's name.
fn file_name(label: &str) -> String {
    let plain = label.chars().map(|c| if c.is_ascii_alphanumeric() || "._@".contains(c) { c } else { '-' });
    plain.collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_make_names_of_files() {
        assert_eq!(
            file_name("latin1_swedish_ci (connection utf8mb4) on mysql@5.6"),
            "latin1_swedish_ci--connection-utf8mb4--on-mysql@5.6"
        );
        assert_eq!(file_name("../x"), "..-x");
    }
}
