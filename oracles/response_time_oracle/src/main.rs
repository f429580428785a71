//! Prints random executors and what the `response-time-analysis` crate says about them, as JSON for
//! takt's tests (README.md has the layout and the command). The same arguments print the same bytes.

mod answers;
mod random;
mod system;

use answers::{Answer, Answers, LIMIT};
use random::Random;
use system::System;

fn list(numbers: impl Iterator<Item = String>) -> String {
    format!("[{}]", numbers.collect::<Vec<String>>().join(","))
}

fn number(answer: &Answer) -> String {
    answer.map_or("-1".to_string(), |bound| bound.to_string())
}

fn numbers(answers: &[Answer]) -> String {
    list(answers.iter().map(number))
}

fn indices(tasks: &[usize]) -> String {
    list(tasks.iter().map(|i| i.to_string()))
}

fn line(system: &System, said: &Answers) -> String {
    let supply = system.supply.map_or(vec![], |(budget, period)| vec![budget, period]);
    let tasks = system.tasks.iter().map(|task| {
        let mut entry = vec![task.cost, u64::from(task.polled)];
        for source in &task.sources {
            entry.extend([source.period, source.jitter]);
        }
        list(entry.iter().map(|n| n.to_string()))
    });
    list(
        [
            list(supply.iter().map(|n| n.to_string())),
            list(tasks),
            numbers(&said.event_source),
            numbers(&said.timer),
            numbers(&said.blocked_timer),
            numbers(&said.polled),
            indices(&system.chain),
            number(&said.chain),
            numbers(&said.round_robin),
            numbers(&said.busy_window),
            indices(&system.run),
            number(&said.round_robin_run),
            number(&said.busy_window_run),
        ]
        .into_iter(),
    )
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (count, seed) = match (arguments.next(), arguments.next(), arguments.next()) {
        (Some(Ok(count)), Some(Ok(seed)), None) => (count, seed),
        _ => {
            eprintln!("usage: response_time_oracle SYSTEMS SEED");
            std::process::exit(2);
        }
    };
    let mut random = Random::new(seed);
    println!("{{\"crate\":\"response-time-analysis 0.3.2\",\"seed\":{seed},\"limit\":{LIMIT},");
    println!("\"systems\":[");
    for i in 0..count {
        let system = system::draw(&mut random);
        let end = if i + 1 < count { "," } else { "" };
        println!("{}{end}", line(&system, &answers::answers(&system)));
    }
    println!("]}}");
}
