//! One executor: its supply and its tasks, drawn at random.

use crate::random::Random;

pub struct Source {
    pub period: u64,
    pub jitter: u64,
}

pub struct Task {
    pub cost: u64,
    pub polled: bool,
    pub sources: Vec<Source>,
}

pub struct System {
    /// Budget and period of a reservation; none: a core of its own.
    pub supply: Option<(u64, u64)>,
    pub tasks: Vec<Task>,
    /// Tasks that follow each other, all activated as often as the first: for Lemma 8.
    pub chain: Vec<usize>,
    /// Polled tasks that follow each other; each keeps its own sources: for Theorems 2 and 3.
    pub run: Vec<usize>,
}

fn source(random: &mut Random, shortest: u64, longest: u64) -> Source {
    let period = random.pick(shortest, longest);
    let jitter = if random.once_in(2) {
        random.pick(0, 2 * period)
    } else {
        0
    };
    Source { period, jitter }
}

/// Loads between a fifth of the supply and a little more than all of it. Every third system has
/// periods so short that single ticks matter.
pub fn draw(random: &mut Random) -> System {
    let supply = if random.once_in(2) {
        let period = random.pick(2, 40);
        Some((random.pick((period + 1) / 2, period), period))
    } else {
        None
    };
    let (shortest, longest) = if random.once_in(3) { (5, 60) } else { (50, 2000) };
    let count = random.pick(1, 6);
    let only_polled = random.once_in(2);
    let weights: Vec<u64> = (0..count).map(|_| random.pick(1, 100)).collect();
    let all: u64 = weights.iter().sum();
    let load = if random.once_in(12) { random.pick(90, 115) } else { random.pick(20, 90) };
    let (budget, period) = supply.unwrap_or((1, 1));
    let tasks = weights
        .iter()
        .map(|weight| {
            let mut sources = vec![source(random, shortest, longest)];
            if random.once_in(5) {
                sources.push(source(random, shortest, longest));
            }
            // The share of the supply, of the slower source's period.
            let every = sources.iter().map(|s| s.period).min().unwrap() / sources.len() as u64;
            let cost = every * load * weight * budget / (100 * all * period);
            let polled = only_polled || !random.once_in(3);
            Task { cost: cost.max(1), polled, sources }
        })
        .collect::<Vec<Task>>();
    let length = random.pick(1, count) as usize;
    let chain = random.some_of(tasks.len(), length);
    let polled: Vec<usize> = (0..tasks.len()).filter(|&i| tasks[i].polled).collect();
    let run = if polled.is_empty() {
        vec![]
    } else {
        let length = random.pick(1, polled.len() as u64) as usize;
        random.some_of(polled.len(), length).iter().map(|&i| polled[i]).collect()
    };
    System { supply, tasks, chain, run }
}
