//! From resolved samples and windows of time to a profile. Pure.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use measure::{Estimate, mean, mean_with_interval};

use crate::category::Category;
use crate::image::Naming;
use crate::model::{
    CategoryDifference, CategoryShare, Coverage, Difference, FunctionDifference, FunctionShare, Share, SideProfile,
};
use crate::resolve::{FunctionId, Resolved, Seen, Stack};

/// Functions of a table are cut off here.
const MOST_FUNCTIONS: usize = 40;

/// A stretch of time on the samples' clock.
#[derive(Clone, Debug)]
pub struct Window {
    /// Begins, in nanoseconds.
    pub from_ns: u64,
    /// Ends.
    pub to_ns: u64,
    /// Server CPU time in µs a statement of each side in this window, where it can be told.
    pub cpu_us: Vec<Option<f64>>,
}

/// Whose samples belong together.
#[derive(Clone, Debug)]
pub struct SideThreads {
    /// What to call it.
    pub label: String,
    /// Index in the run's variants.
    pub variant: Option<usize>,
    /// The server's process; all of them where absent.
    pub pid: Option<u32>,
    /// Its threads; all of the process's where absent.
    pub threads: Option<BTreeSet<u32>>,
}

impl SideThreads {
    fn is_of_process(&self, stack: &Stack) -> bool {
        self.pid.is_none_or(|pid| pid == stack.pid)
    }

    fn has(&self, stack: &Stack) -> bool {
        self.is_of_process(stack) && self.threads.as_ref().is_none_or(|threads| threads.contains(&stack.tid))
    }
}

/// The samples of one side, by window.
pub struct Sorted<'r> {
    resolved: &'r Resolved,
    /// The side's own stacks, by window.
    pub windows: Vec<Vec<&'r Stack>>,
    cpu_us: Vec<Option<f64>>,
    background: u64,
}

/// Sorts the samples into sides and windows; those of no window are left out.
pub fn sort<'r>(resolved: &'r Resolved, sides: &[SideThreads], windows: &[Window]) -> Vec<Sorted<'r>> {
    let new = |side: usize| Sorted {
        resolved,
        windows: vec![Vec::new(); windows.len()],
        cpu_us: windows.iter().map(|window| window.cpu_us.get(side).copied().flatten()).collect(),
        background: 0,
    };
    let mut sorted: Vec<Sorted<'r>> = (0..sides.len()).map(new).collect();
    for stack in &resolved.stacks {
        let in_window = |window: &Window| (window.from_ns..window.to_ns).contains(&stack.time_ns);
        let Some(window) = windows.iter().position(in_window) else { continue };
        match sides.iter().position(|side| side.has(stack)) {
            Some(side) => sorted[side].windows[window].push(stack),
            None => {
                for (own, _) in sorted.iter_mut().zip(sides).filter(|(_, side)| side.is_of_process(stack)) {
                    own.background += 1;
                }
            }
        }
    }
    sorted
}

impl Sorted<'_> {
    /// The side's own stacks, in the order of time.
    pub fn stacks(&self) -> impl Iterator<Item = &Stack> {
        self.windows.iter().flatten().copied()
    }

    fn samples(&self) -> u64 {
        self.windows.iter().map(|stacks| stacks.len() as u64).sum()
    }

    /// The share of some samples in each window; NaN in one without samples.
    fn shares(&self, counts: impl Fn(&Stack) -> bool) -> Vec<f64> {
        let share =
            |stacks: &Vec<&Stack>| stacks.iter().filter(|stack| counts(stack)).count() as f64 / stacks.len() as f64;
        self.windows.iter().map(share).collect()
    }

    /// CPU time in µs a statement in each window of a part of which this is the share; empty where it can't be told.
    fn cpu(&self, shares: &[f64]) -> Vec<f64> {
        let cpu = shares.iter().zip(&self.cpu_us).map(|(share, cpu)| cpu.map(|cpu| cpu * share));
        cpu.collect::<Option<Vec<f64>>>().unwrap_or_default()
    }

    /// What each function does itself: samples by window, and by category.
    fn by_function(&self) -> HashMap<FunctionId, Own> {
        let mut functions: HashMap<FunctionId, Own> = HashMap::new();
        for (window, stacks) in self.windows.iter().enumerate() {
            for stack in stacks {
                let own = functions.entry(stack.functions[0]).or_insert_with(|| Own::new(self.windows.len()));
                own.windows[window] += 1;
                *own.categories.entry(stack.category).or_default() += 1;
            }
        }
        functions
    }
}

struct Own {
    windows: Vec<u64>,
    categories: BTreeMap<Category, u64>,
}

impl Own {
    fn new(windows: usize) -> Self {
        Self { windows: vec![0; windows], categories: BTreeMap::new() }
    }

    fn samples(&self) -> u64 {
        self.windows.iter().sum()
    }

    fn shares(&self, side: &Sorted<'_>) -> Vec<f64> {
        self.windows.iter().zip(&side.windows).map(|(&own, all)| own as f64 / all.len() as f64).collect()
    }

    fn category(&self) -> Category {
        self.categories.iter().max_by_key(|(_, count)| **count).map_or(Category::Unknown, |(category, _)| *category)
    }
}

/// The mean over the windows that had samples.
fn share(shares: &[f64]) -> Share {
    let known: Vec<f64> = shares.iter().copied().filter(|share| share.is_finite()).collect();
    let value = if known.is_empty() { 0.0 } else { mean(&known) };
    // A share can't leave its bounds, its interval neither.
    let interval = mean_with_interval(&known).map(|estimate| Estimate {
        low: estimate.low.max(0.0),
        high: estimate.high.min(1.0),
        ..estimate
    });
    Share { value, interval }
}

/// CPU time can't be less than none.
fn cpu(values: &[f64]) -> Option<Estimate> {
    mean_with_interval(values).map(|estimate| Estimate { low: estimate.low.max(0.0), ..estimate })
}

/// One side's profile.
pub fn profile(side: &SideThreads, sorted: &Sorted<'_>) -> SideProfile {
    let text = sorted.shares(|stack| stack.category.is_text());
    let whole = vec![1.0; sorted.windows.len()];
    let categories = Category::ALL.map(|category| {
        let shares = sorted.shares(|stack| stack.category == category);
        let samples = sorted.stacks().filter(|stack| stack.category == category).count() as u64;
        CategoryShare { category, samples, share: share(&shares), cpu_us: cpu(&sorted.cpu(&shares)) }
    });
    SideProfile {
        label: side.label.clone(),
        variant: side.variant,
        samples: sorted.samples(),
        background_samples: sorted.background,
        coverage: coverage(sorted),
        cpu_us: cpu(&sorted.cpu(&whole)),
        text_share: share(&text),
        categories: categories.to_vec(),
        functions: functions(sorted),
        flame_graph: None,
        folded: None,
    }
}

fn functions(sorted: &Sorted<'_>) -> Vec<FunctionShare> {
    let all = sorted.by_function();
    let mut functions: Vec<FunctionShare> = all
        .iter()
        .map(|(&id, own)| {
            let seen: &Seen = &sorted.resolved.functions[id];
            let shares = own.shares(sorted);
            FunctionShare {
                name: seen.name.clone(),
                file: seen.file.clone(),
                naming: seen.naming,
                category: own.category(),
                samples: own.samples(),
                share: share(&shares).value,
                cpu_us: cpu(&sorted.cpu(&shares)).map(|estimate| estimate.value),
            }
        })
        .collect();
    functions.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.name.cmp(&b.name)));
    functions.truncate(MOST_FUNCTIONS);
    functions
}

/// Counts the samples whose innermost frame is in the server's own program: a file that is no library.
fn coverage(sorted: &Sorted<'_>) -> Coverage {
    let mut coverage = Coverage::default();
    for stack in sorted.stacks() {
        let seen = &sorted.resolved.functions[stack.functions[0]];
        let own = !seen.file.is_empty() && !seen.file.starts_with(['[', '/']) && !seen.file.contains(".so");
        if own {
            coverage.samples += 1;
            *match seen.naming {
                Naming::Symbol => &mut coverage.symbol,
                Naming::Handler => &mut coverage.handler,
                Naming::Bounds => &mut coverage.bounds,
                Naming::Unknown => &mut coverage.unknown,
            } += 1;
        }
    }
    coverage
}

/// A side against the first, window by window.
pub fn difference(index: usize, first: &Sorted<'_>, side: &Sorted<'_>) -> Difference {
    let whole = vec![1.0; side.windows.len()];
    let cpu_of =
        |counts: &dyn Fn(&Stack) -> bool| less(&side.cpu(&side.shares(counts)), &first.cpu(&first.shares(counts)));
    let categories = Category::ALL.map(|category| {
        let counts = |stack: &Stack| stack.category == category;
        let shares = (share(&side.shares(counts)).value, share(&first.shares(counts)).value);
        CategoryDifference { category, share: shares.0 - shares.1, cpu_us: cpu_of(&counts) }
    });
    Difference {
        side: index,
        cpu_us: less(&side.cpu(&whole), &first.cpu(&whole)),
        text_cpu_us: cpu_of(&|stack: &Stack| stack.category.is_text()),
        categories: categories.to_vec(),
        functions: function_differences(first, side),
        flame_graph: None,
    }
}

/// The mean difference, paired by window.
fn less(these: &[f64], those: &[f64]) -> Option<Estimate> {
    let pairs: Vec<f64> =
        these.iter().zip(those).map(|(this, that)| this - that).filter(|pair| pair.is_finite()).collect();
    mean_with_interval(&pairs)
}

/// Functions are the same by their name and file: on two servers they have other places.
fn function_differences(first: &Sorted<'_>, side: &Sorted<'_>) -> Vec<FunctionDifference> {
    let (ours, theirs) = (side.by_function(), first.by_function());
    let ids: BTreeSet<FunctionId> = ours.keys().chain(theirs.keys()).copied().collect();
    let none = Own::new(side.windows.len());
    let mut differences: Vec<(f64, FunctionDifference)> = ids
        .into_iter()
        .map(|id| {
            let (own, other) = (ours.get(&id).unwrap_or(&none), theirs.get(&id).unwrap_or(&none));
            let (own_shares, other_shares) = (own.shares(side), other.shares(first));
            let seen = &side.resolved.functions[id];
            let cpu_us = less(&side.cpu(&own_shares), &first.cpu(&other_shares));
            let (share_first, share) = (share(&other_shares).value, share(&own_shares).value);
            let difference = FunctionDifference {
                name: seen.name.clone(),
                naming: seen.naming,
                category: if own.samples() >= other.samples() { own.category() } else { other.category() },
                share_first,
                share,
                cpu_us,
            };
            (cpu_us.map_or(share - share_first, |cpu| cpu.value).abs(), difference)
        })
        .collect();
    differences.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    differences.truncate(MOST_FUNCTIONS);
    differences.into_iter().map(|(_, difference)| difference).collect()
}
