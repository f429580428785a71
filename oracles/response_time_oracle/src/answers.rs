//! What the crate says about a system. Every answer is a number of ticks, or none below the limit.

use response_time_analysis::arrival::Sporadic;
use response_time_analysis::demand::{Slice, RBF};
use response_time_analysis::fixed_point::SearchResult;
use response_time_analysis::ros2::{
    bw, rr, rta_event_source, rta_polling_point_callback, rta_processing_chain, rta_timer,
};
use response_time_analysis::supply::{Dedicated, Periodic, SupplyBound};
use response_time_analysis::time::{Duration, Service};
use response_time_analysis::wcet::Scalar;

use crate::system::{Source, System};

/// The divergence threshold of every search, in ticks.
pub const LIMIT: u64 = 1_000_000;

/// Stands for a response without bound where the crate wants a number: so long that every cap on
/// the number of runs takes effect, and that what has no cap has no answer either.
const ENDLESS: u64 = 1_000_000_000_000;

/// The crate analyses with assumed bounds and leaves it to its caller to repeat that until they are
/// right. This is how often that is done here and in takt.
const ROUNDS: u32 = 1000;

pub type Answer = Option<u64>;
type Demand = RBF<Vec<Sporadic>, Scalar>;

pub struct Answers {
    pub event_source: Vec<Answer>,
    pub timer: Vec<Answer>,
    pub blocked_timer: Vec<Answer>,
    pub polled: Vec<Answer>,
    pub chain: Answer,
    pub round_robin: Vec<Answer>,
    pub busy_window: Vec<Answer>,
    pub round_robin_run: Answer,
    pub busy_window_run: Answer,
}

fn limit() -> Duration {
    Duration::from(LIMIT)
}

fn answer(found: SearchResult) -> Answer {
    found.ok().map(u64::from).filter(|&bound| bound <= LIMIT)
}

fn arrivals(sources: &[Source]) -> Vec<Sporadic> {
    sources
        .iter()
        .map(|s| Sporadic::new(Duration::from(s.period), Duration::from(s.jitter)))
        .collect()
}

fn demand(sources: &[Source], cost: u64) -> Demand {
    RBF::new(arrivals(sources), Scalar::new(Service::from(cost)))
}

/// The least bounds that the analysis of single tasks does not raise any more: one task after the
/// other, each with what is known of all by then. What still grows after ROUNDS has none.
fn iterated(
    start: Vec<Answer>,
    polled: &[bool],
    bound: impl Fn(usize, &[u64]) -> Answer,
) -> Vec<Answer> {
    let mut bounds = start;
    for round in 0.. {
        let mut moved = false;
        for i in 0..bounds.len() {
            if !polled[i] || bounds[i].is_none() {
                continue;
            }
            let assumed: Vec<u64> = bounds.iter().map(|b| b.unwrap_or(ENDLESS)).collect();
            let next = bound(i, &assumed);
            if next != bounds[i] {
                bounds[i] = next.filter(|_| round <= ROUNDS);
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    bounds
}

struct Analysis<'a> {
    system: &'a System,
    supply: &'a dyn SupplyBound,
    demands: Vec<Demand>,
}

impl Analysis<'_> {
    fn all_but(&self, own: usize) -> Vec<Demand> {
        let others = self.demands.iter().enumerate().filter(|&(i, _)| i != own);
        others.map(|(_, demand)| demand.clone()).collect()
    }

    /// The tasks before it are the more urgent timers, those behind it block.
    fn timer(&self, own: usize, blocked: bool) -> Answer {
        let behind = self.system.tasks[own + 1..].iter().map(|task| task.cost);
        let blocking = if blocked { behind.max().unwrap_or(0) } else { 0 };
        self.timer_among(own, &self.demands[..own], blocking)
    }

    fn timer_among(&self, own: usize, others: &[Demand], blocking: u64) -> Answer {
        let blocking = Service::from(blocking);
        let others = Slice::of(others);
        answer(rta_timer(&self.supply, &self.demands[own], &others, blocking, limit()))
    }

    fn chain(&self) -> Answer {
        let tasks = &self.system.tasks;
        let (last, prefix) = self.system.chain.split_last().unwrap();
        let sources = &tasks[self.system.chain[0]].sources;
        let before: u64 = prefix.iter().map(|&i| tasks[i].cost).sum();
        let own = tasks[*last].cost;
        let others: Vec<Demand> = (0..tasks.len())
            .filter(|i| !self.system.chain.contains(i))
            .map(|i| self.demands[i].clone())
            .collect();
        answer(rta_processing_chain(
            &self.supply,
            &demand(sources, own),
            &demand(sources, before),
            &demand(sources, before + own),
            &Slice::of(&others),
            limit(),
        ))
    }

    fn kind(&self, task: usize) -> rr::CallbackType {
        if self.system.tasks[task].polled {
            rr::CallbackType::PolledUnknownPrio
        } else {
            rr::CallbackType::Timer
        }
    }

    /// What is not polled goes before all that is, in any order.
    fn start(&self) -> Vec<Answer> {
        let tasks = &self.system.tasks;
        let blocking = tasks.iter().filter(|t| t.polled).map(|t| t.cost).max().unwrap_or(0);
        (0..tasks.len())
            .map(|own| {
                if tasks[own].polled {
                    return Some(tasks[own].cost);
                }
                let timers = (0..tasks.len()).filter(|&i| i != own && !tasks[i].polled);
                let others: Vec<Demand> = timers.map(|i| self.demands[i].clone()).collect();
                self.timer_among(own, &others, blocking)
            })
            .collect()
    }

    fn round_robin(&self, run: &[usize], assumed: &[u64]) -> Answer {
        let workload: Vec<_> = (0..self.demands.len())
            .map(|i| {
                let bound = Duration::from(assumed[i]);
                let arrivals = &self.demands[i].arrival_bound;
                rr::Callback::new(bound, arrivals, &self.demands[i].wcet, self.kind(i))
            })
            .collect();
        let run: Vec<_> = run.iter().map(|&i| &workload[i]).collect();
        answer(rr::rta_subchain(&self.supply, &workload, &run, limit()))
    }

    fn busy_window(&self, run: &[usize], assumed: &[u64]) -> Answer {
        let workload: Vec<_> = (0..self.demands.len())
            .map(|i| {
                let bound = Duration::from(assumed[i]);
                let arrivals = &self.demands[i].arrival_bound;
                bw::Callback::new(bound, arrivals, &self.demands[i].wcet, self.kind(i))
            })
            .collect();
        let run: Vec<_> = run.iter().map(|&i| &workload[i]).collect();
        answer(bw::rta_subchain(&self.supply, &workload, &run, limit()))
    }

    fn of_run(
        &self,
        bounds: &[Answer],
        theorem: impl Fn(&Self, &[usize], &[u64]) -> Answer,
    ) -> Answer {
        let run = &self.system.run;
        if run.is_empty() || run.iter().any(|&i| bounds[i].is_none()) {
            return None;
        }
        let assumed: Vec<u64> = bounds.iter().map(|b| b.unwrap_or(ENDLESS)).collect();
        theorem(self, run, &assumed)
    }
}

pub fn answers(system: &System) -> Answers {
    let supply: Box<dyn SupplyBound> = match system.supply {
        Some((budget, period)) => {
            Box::new(Periodic::new(Service::from(budget), Duration::from(period)))
        }
        None => Box::new(Dedicated::new()),
    };
    let demands = system.tasks.iter().map(|t| demand(&t.sources, t.cost)).collect();
    let analysis = Analysis { system, supply: &*supply, demands };
    let all = 0..system.tasks.len();
    let polled: Vec<bool> = system.tasks.iter().map(|t| t.polled).collect();
    let start = analysis.start();
    let round_robin =
        iterated(start.clone(), &polled, |i, assumed| analysis.round_robin(&[i], assumed));
    let busy_window = iterated(start, &polled, |i, assumed| analysis.busy_window(&[i], assumed));
    Answers {
        event_source: all
            .clone()
            .map(|i| answer(rta_event_source(&analysis.supply, &analysis.demands[i], limit())))
            .collect(),
        timer: all.clone().map(|i| analysis.timer(i, false)).collect(),
        blocked_timer: all.clone().map(|i| analysis.timer(i, true)).collect(),
        polled: all
            .map(|i| {
                let others = analysis.all_but(i);
                let own = &analysis.demands[i];
                answer(rta_polling_point_callback(
                    &analysis.supply,
                    own,
                    &Slice::of(&others),
                    limit(),
                ))
            })
            .collect(),
        chain: analysis.chain(),
        round_robin_run: analysis.of_run(&round_robin, Analysis::round_robin),
        busy_window_run: analysis.of_run(&busy_window, Analysis::busy_window),
        round_robin,
        busy_window,
    }
}
