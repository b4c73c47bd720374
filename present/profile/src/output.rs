//! Files of a profile: folded stacks, flame graphs, and the figures as JSON.

use std::io::Write;
use std::path::Path;

use files::{Access, HeldFolder};

use crate::error::Error;
use crate::flame;
use crate::image::Naming;
use crate::model::{FORMAT, Profile, Profiles};
use crate::names::describe_function;
use crate::resolve::Resolved;
use crate::summary::SideSamples;

/// Folder of profiles inside a run's folder.
pub const FOLDER: &str = "profile";
const FILE: &str = "profiles.json";

/// Size of the largest `profiles.json` that is read. A cut one is malformed.
const MAX_BYTES: u64 = 64 << 20;

/// Writes the figures of all profiles to `profile/profiles.json` in a run's folder.
pub fn write(run: &HeldFolder, profiles: &Profiles) -> Result<(), Error> {
    let mut text = serde_json::to_string_pretty(profiles).expect("a profile is plain data");
    text.push('\n');
    write_file(run, FILE, text.as_bytes())
}

/// Reads the profiles of a run's folder. `None` if the run has no profiles.
pub fn read(run: &Path) -> Result<Option<Profiles>, Error> {
    let path = run.join(FOLDER).join(FILE);
    let text = match files::read_small(&path, MAX_BYTES) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        read => read.map_err(Error::io("read", &path))?,
    };
    let malformed = |reason: String| Error::Malformed { path: path.clone(), reason };
    let mut profiles: Profiles = serde_json::from_slice(&text).map_err(|error| malformed(error.to_string()))?;
    if profiles.format != FORMAT {
        return Err(malformed(format!("its format is {}, not {FORMAT}", profiles.format)));
    }
    profiles.profiles.iter_mut().for_each(describe_functions);
    Ok(Some(profiles))
}

/// Sets the readable names in a profile of an earlier version, which has only raw names.
fn describe_functions(profile: &mut Profile) {
    let describe = |name: &mut String, raw_name: &mut String, naming: Naming| {
        if raw_name.is_empty() {
            *raw_name = std::mem::replace(name, describe_function(name, naming));
        }
    };
    for one in profile.sides.iter_mut().flat_map(|side| &mut side.functions) {
        describe(&mut one.name, &mut one.raw_name, one.naming);
    }
    for one in profile.differences.iter_mut().flat_map(|difference| &mut difference.functions) {
        describe(&mut one.name, &mut one.raw_name, one.naming);
    }
}

/// Writes folded stacks and flame graphs of each side into a run's folder, and flame graphs of the
/// differences. Records the file names in the profile.
pub(crate) fn draw_graphs(
    profile: &mut Profile,
    resolved: &Resolved,
    side_samples: &[SideSamples<'_>],
    run: &HeldFolder,
    prefix: &str,
) -> Result<(), Error> {
    let folded: Vec<String> = side_samples.iter().map(|side| flame::fold(resolved, side.stacks())).collect();
    let names: Vec<String> = profile.sides.iter().map(|side| format!("{prefix}{}", file_name(&side.label))).collect();
    for ((side, folded), name) in profile.sides.iter_mut().zip(&folded).zip(&names) {
        let svg = flame::draw_graph(&format!("{}: {}", side.label, profile.title), folded)?;
        side.folded = Some(write_named_file(run, &format!("{name}.folded"), folded.as_bytes())?);
        side.flame_graph = Some(write_named_file(run, &format!("{name}.svg"), &svg)?);
    }
    for difference in &mut profile.differences {
        let side = difference.side;
        let (label, first) = (&profile.sides[side].label, &profile.sides[0].label);
        let title = format!("{label} against {first}: red takes more, blue less; {}", profile.title);
        let svg = flame::draw_difference(&title, &folded[0], &folded[side])?;
        difference.flame_graph =
            Some(write_named_file(run, &format!("{}-against-{}.svg", names[side], file_name(first)), &svg)?);
    }
    Ok(())
}

fn write_named_file(run: &HeldFolder, name: &str, bytes: &[u8]) -> Result<String, Error> {
    write_file(run, name, bytes)?;
    Ok(name.to_owned())
}

fn write_file(run: &HeldFolder, name: &str, bytes: &[u8]) -> Result<(), Error> {
    // The titles can hold values of captured statements.
    let access = Access::OwnerOnly;
    let folder = run.create_folder(FOLDER, access);
    let written = folder.and_then(|folder| folder.replace(name, access, |file| file.write_all(bytes)));
    written.map_err(Error::io("write", run.path().join(FOLDER).join(name)))
}

/// Returns a label as part of a file name. All characters except ASCII letters, digits, `.`, `_`
/// and `@` become `-`, which is removed at both ends.
fn file_name(label: &str) -> String {
    let plain = label.chars().map(|c| if c.is_ascii_alphanumeric() || "._@".contains(c) { c } else { '-' });
    plain.collect::<String>().trim_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_become_file_names() {
        assert_eq!(
            file_name("latin1_swedish_ci (connection utf8mb4) on mysql@5.6"),
            "latin1_swedish_ci--connection-utf8mb4--on-mysql@5.6"
        );
        assert_eq!(file_name("../x"), "..-x");
    }
}
