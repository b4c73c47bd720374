//! Computes a profile from resolved samples and windows of time.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use measure::{Estimate, mean, mean_with_interval};

use crate::category::Category;
use crate::image::Naming;
use crate::model::{
    CategoryDifference, CategoryShare, Coverage, Difference, FunctionDifference, FunctionShare, Share, SideProfile,
};
use crate::resolve::{FunctionId, Resolved, ResolvedFunction, Stack};

/// Maximum number of functions in a table.
const MAX_FUNCTIONS: usize = 40;

/// A period of time on the samples' clock.
#[derive(Clone, Debug)]
pub struct Window {
    /// Start, in nanoseconds.
    pub from_ns: u64,
    /// End, in nanoseconds, exclusive.
    pub to_ns: u64,
    /// Server CPU time per statement in µs, by side. `None` if unknown.
    pub cpu_us: Vec<Option<f64>>,
}

/// Threads whose samples belong to one side.
#[derive(Clone, Debug)]
pub struct SideThreads {
    pub label: String,
    /// Index in the run's variants. `None` outside a run.
    pub variant: Option<usize>,
    /// The server's process. `None`: all processes.
    pub pid: Option<u32>,
    /// Threads that serve the load. `None`: all threads of the process.
    pub threads: Option<BTreeSet<u32>>,
}

impl SideThreads {
    fn is_in_process(&self, stack: &Stack) -> bool {
        self.pid.is_none_or(|pid| pid == stack.pid)
    }

    fn contains(&self, stack: &Stack) -> bool {
        self.is_in_process(stack) && self.threads.as_ref().is_none_or(|threads| threads.contains(&stack.tid))
    }
}

/// Samples of one side, by window.
pub struct SideSamples<'r> {
    resolved: &'r Resolved,
    pub windows: Vec<Vec<&'r Stack>>,
    cpu_us: Vec<Option<f64>>,
    background: u64,
}

/// Assigns samples to sides and windows. Samples outside all windows or of other processes are
/// ignored.
pub fn assign_samples<'r>(resolved: &'r Resolved, sides: &[SideThreads], windows: &[Window]) -> Vec<SideSamples<'r>> {
    let new = |side: usize| SideSamples {
        resolved,
        windows: vec![Vec::new(); windows.len()],
        cpu_us: windows.iter().map(|window| window.cpu_us.get(side).copied().flatten()).collect(),
        background: 0,
    };
    let mut samples_by_side: Vec<SideSamples<'r>> = (0..sides.len()).map(new).collect();
    for stack in &resolved.stacks {
        let in_window = |window: &Window| (window.from_ns..window.to_ns).contains(&stack.time_ns);
        let Some(window) = windows.iter().position(in_window) else { continue };
        match sides.iter().position(|side| side.contains(stack)) {
            Some(side) => samples_by_side[side].windows[window].push(stack),
            None => {
                for (side_samples, _) in
                    samples_by_side.iter_mut().zip(sides).filter(|(_, side)| side.is_in_process(stack))
                {
                    side_samples.background += 1;
                }
            }
        }
    }
    samples_by_side
}

impl SideSamples<'_> {
    /// Returns the side's stacks, window by window.
    pub fn stacks(&self) -> impl Iterator<Item = &Stack> {
        self.windows.iter().flatten().copied()
    }

    fn samples(&self) -> u64 {
        self.windows.iter().map(|stacks| stacks.len() as u64).sum()
    }

    /// Returns the share of matching samples in each window. NaN in a window without samples.
    fn shares(&self, counts: impl Fn(&Stack) -> bool) -> Vec<f64> {
        let share =
            |stacks: &Vec<&Stack>| stacks.iter().filter(|stack| counts(stack)).count() as f64 / stacks.len() as f64;
        self.windows.iter().map(share).collect()
    }

    /// Returns the CPU time per statement in µs in each window of a part with these shares. NaN
    /// where the share is NaN. Empty if a window's CPU time is unknown.
    fn cpu_by_window(&self, shares: &[f64]) -> Vec<f64> {
        let cpu = shares.iter().zip(&self.cpu_us).map(|(share, cpu)| cpu.map(|cpu| cpu * share));
        cpu.collect::<Option<Vec<f64>>>().unwrap_or_default()
    }

    /// Counts the samples of each innermost function.
    fn by_function(&self) -> HashMap<FunctionId, FunctionSamples> {
        let mut functions: HashMap<FunctionId, FunctionSamples> = HashMap::new();
        for (window, stacks) in self.windows.iter().enumerate() {
            for stack in stacks {
                let function_samples =
                    functions.entry(stack.functions[0]).or_insert_with(|| FunctionSamples::new(self.windows.len()));
                function_samples.windows[window] += 1;
                *function_samples.categories.entry(stack.category).or_default() += 1;
            }
        }
        functions
    }
}

struct FunctionSamples {
    windows: Vec<u64>,
    categories: BTreeMap<Category, u64>,
}

impl FunctionSamples {
    fn new(windows: usize) -> Self {
        Self { windows: vec![0; windows], categories: BTreeMap::new() }
    }

    fn samples(&self) -> u64 {
        self.windows.iter().sum()
    }

    fn shares(&self, side: &SideSamples<'_>) -> Vec<f64> {
        self.windows.iter().zip(&side.windows).map(|(&count, all)| count as f64 / all.len() as f64).collect()
    }

    fn category(&self) -> Category {
        self.categories.iter().max_by_key(|(_, count)| **count).map_or(Category::Unknown, |(category, _)| *category)
    }
}

/// Returns the mean over the windows with samples. 0 if no window has samples.
fn mean_share(shares: &[f64]) -> Share {
    let known: Vec<f64> = shares.iter().copied().filter(|share| share.is_finite()).collect();
    let value = if known.is_empty() { 0.0 } else { mean(&known) };
    // A share is between 0 and 1, and so is its interval.
    let interval = mean_with_interval(&known).map(|estimate| Estimate {
        low: estimate.low.max(0.0),
        high: estimate.high.min(1.0),
        ..estimate
    });
    Share { value, interval }
}

/// Returns the mean CPU time. The interval is cut off at 0. `None` for fewer than two windows, or
/// if a value is NaN.
fn mean_cpu(values: &[f64]) -> Option<Estimate> {
    mean_with_interval(values).map(|estimate| Estimate { low: estimate.low.max(0.0), ..estimate })
}

/// Computes the profile of one side.
pub fn summarise_side(side: &SideThreads, side_samples: &SideSamples<'_>) -> SideProfile {
    let text = side_samples.shares(|stack| stack.category.is_text());
    let full_share = vec![1.0; side_samples.windows.len()];
    let categories = Category::ALL.map(|category| {
        let shares = side_samples.shares(|stack| stack.category == category);
        let samples = side_samples.stacks().filter(|stack| stack.category == category).count() as u64;
        CategoryShare {
            category,
            samples,
            share: mean_share(&shares),
            cpu_us: mean_cpu(&side_samples.cpu_by_window(&shares)),
        }
    });
    SideProfile {
        label: side.label.clone(),
        variant: side.variant,
        samples: side_samples.samples(),
        background_samples: side_samples.background,
        coverage: count_coverage(side_samples),
        cpu_us: mean_cpu(&side_samples.cpu_by_window(&full_share)),
        text_share: mean_share(&text),
        categories: categories.to_vec(),
        functions: function_shares(side_samples),
        flame_graph: None,
        folded: None,
    }
}

fn function_shares(side_samples: &SideSamples<'_>) -> Vec<FunctionShare> {
    let all = side_samples.by_function();
    let mut functions: Vec<FunctionShare> = all
        .iter()
        .map(|(&id, function_samples)| {
            let seen: &ResolvedFunction = &side_samples.resolved.functions[id];
            let shares = function_samples.shares(side_samples);
            FunctionShare {
                name: seen.readable_name(),
                raw_name: seen.name.clone(),
                file: seen.file.clone(),
                naming: seen.naming,
                category: function_samples.category(),
                samples: function_samples.samples(),
                share: mean_share(&shares).value,
                cpu_us: mean_cpu(&side_samples.cpu_by_window(&shares)).map(|estimate| estimate.value),
            }
        })
        .collect();
    functions.sort_by(|a, b| b.samples.cmp(&a.samples).then_with(|| a.name.cmp(&b.name)));
    functions.truncate(MAX_FUNCTIONS);
    functions
}

/// Counts the samples whose innermost frame is in the server's own program, which is not a library.
fn count_coverage(side_samples: &SideSamples<'_>) -> Coverage {
    let mut coverage = Coverage::default();
    for stack in side_samples.stacks() {
        let seen = &side_samples.resolved.functions[stack.functions[0]];
        let is_own_program = !seen.file.is_empty() && !seen.file.starts_with(['[', '/']) && !seen.file.contains(".so");
        if is_own_program {
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

/// Compares a side with the first side. CPU times are compared window by window.
pub fn compare_sides(index: usize, first: &SideSamples<'_>, side: &SideSamples<'_>) -> Difference {
    let full_share = vec![1.0; side.windows.len()];
    let cpu_difference = |counts: &dyn Fn(&Stack) -> bool| {
        mean_difference(&side.cpu_by_window(&side.shares(counts)), &first.cpu_by_window(&first.shares(counts)))
    };
    let categories = Category::ALL.map(|category| {
        let counts = |stack: &Stack| stack.category == category;
        let shares = (mean_share(&side.shares(counts)).value, mean_share(&first.shares(counts)).value);
        CategoryDifference { category, share: shares.0 - shares.1, cpu_us: cpu_difference(&counts) }
    });
    Difference {
        side: index,
        cpu_us: mean_difference(&side.cpu_by_window(&full_share), &first.cpu_by_window(&full_share)),
        text_cpu_us: cpu_difference(&|stack: &Stack| stack.category.is_text()),
        not_comparable: None,
        categories: categories.to_vec(),
        functions: function_differences(first, side),
        flame_graph: None,
    }
}

/// Returns the mean of `values` less `baseline`, paired by window.
fn mean_difference(values: &[f64], baseline: &[f64]) -> Option<Estimate> {
    let pairs: Vec<f64> =
        values.iter().zip(baseline).map(|(value, baseline)| value - baseline).filter(|pair| pair.is_finite()).collect();
    mean_with_interval(&pairs)
}

/// Returns the functions that differ most, in CPU time if known, otherwise in share. Functions on
/// two servers have the same id if name, file and naming agree, even at different addresses.
fn function_differences(first: &SideSamples<'_>, side: &SideSamples<'_>) -> Vec<FunctionDifference> {
    let (side_functions, first_functions) = (side.by_function(), first.by_function());
    let ids: BTreeSet<FunctionId> = side_functions.keys().chain(first_functions.keys()).copied().collect();
    let none = FunctionSamples::new(side.windows.len());
    let mut differences: Vec<(f64, FunctionDifference)> = ids
        .into_iter()
        .map(|id| {
            let (function_samples, other) =
                (side_functions.get(&id).unwrap_or(&none), first_functions.get(&id).unwrap_or(&none));
            let (own_shares, other_shares) = (function_samples.shares(side), other.shares(first));
            let seen = &side.resolved.functions[id];
            let cpu_us = mean_difference(&side.cpu_by_window(&own_shares), &first.cpu_by_window(&other_shares));
            let (share_first, share) = (mean_share(&other_shares).value, mean_share(&own_shares).value);
            let difference = FunctionDifference {
                name: seen.readable_name(),
                raw_name: seen.name.clone(),
                naming: seen.naming,
                category: if function_samples.samples() >= other.samples() {
                    function_samples.category()
                } else {
                    other.category()
                },
                share_first,
                share,
                cpu_us,
            };
            (cpu_us.map_or(share - share_first, |cpu| cpu.value).abs(), difference)
        })
        .collect();
    differences.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.name.cmp(&b.1.name)));
    differences.truncate(MAX_FUNCTIONS);
    differences.into_iter().map(|(_, difference)| difference).collect()
}
