//! How long iceoryx2's own event takes from one process to another on one core: the measure for takt's ways.
//!
//!     cargo run --release --example event_latency [MESSAGES [INTERVAL_US [SIZE [CORE]]]]
//!
//! `event`: from before `notify` to behind `blocking_wait`, without a message. `message`: a publisher writes the time into a
//! sample of SIZE bytes, sends it and notifies; the subscriber waits, receives and reads the time. Both processes run under
//! SCHED_FIFO, as those of `takt_data_path` do, if they may.

use std::mem::{size_of, size_of_val, zeroed};
use std::time::Duration;

use iceoryx2::port::listener::Listener;
use iceoryx2::prelude::*;

type Failure = Box<dyn std::error::Error>;

const PUBLISHER_PRIORITY: i32 = 50;
const RECEIVER_PRIORITY: i32 = 52;
const START: Duration = Duration::from_millis(300);

struct Setting {
    messages: usize,
    interval: Duration,
    size: usize,
    core: usize,
}

fn now() -> i64 {
    let mut time: libc::timespec = unsafe { zeroed() };
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

fn voluntary_switches() -> i64 {
    let mut usage: libc::rusage = unsafe { zeroed() };
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &mut usage) };
    usage.ru_nvcsw
}

fn bind_to(core: usize, priority: i32) {
    unsafe {
        let mut cores: libc::cpu_set_t = zeroed();
        libc::CPU_SET(core, &mut cores);
        libc::sched_setaffinity(0, size_of_val(&cores), &cores);
        let parameters = libc::sched_param { sched_priority: priority };
        if libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) != 0 {
            eprintln!("event_latency: SCHED_FIFO is not permitted, so other programs are in the way");
        }
    }
}

/// Time of the last `notify` that had no message, in memory of both processes.
struct Page(*mut i64);

impl Page {
    fn new() -> Page {
        let flags = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        Page(unsafe { libc::mmap(std::ptr::null_mut(), 4096, protection, flags, -1, 0) }.cast())
    }
    fn write(&self, time: i64) {
        unsafe { self.0.write_volatile(time) };
    }
    fn read(&self) -> i64 {
        unsafe { self.0.read_volatile() }
    }
}

fn publish(name: &ServiceName, setting: &Setting, page: &Page, bare: bool) -> Result<(), Failure> {
    let node = NodeBuilder::new().create::<ipc::Service>()?;
    let notifier = node.service_builder(name).event().open_or_create()?.notifier_builder().create()?;
    let service = node.service_builder(name).publish_subscribe::<[u8]>().open_or_create()?;
    let publisher = service.publisher_builder().initial_max_slice_len(setting.size).create()?;
    std::thread::sleep(START);
    bind_to(setting.core, PUBLISHER_PRIORITY);
    for _ in 0..setting.messages {
        std::thread::sleep(setting.interval);
        if bare {
            page.write(now());
        } else {
            let mut sample = publisher.loan_slice_uninit(setting.size)?;
            for (place, byte) in sample.payload_mut().iter_mut().zip(now().to_ne_bytes()) {
                place.write(byte);
            }
            unsafe { sample.assume_init() }.send()?;
        }
        notifier.notify()?;
    }
    std::thread::sleep(START);
    Ok(())
}

fn wait(listener: &Listener<ipc::Service>) -> Result<bool, Failure> {
    let mut woken = false;
    listener.timed_wait(|_| woken = true, Duration::from_secs(2))?;
    Ok(woken)
}

fn measure(kind: &str, setting: &Setting, bare: bool) -> Result<(), Failure> {
    let name = ServiceName::new(&format!("event_latency/{}/{kind}", std::process::id()))?;
    let page = Page::new();
    let child = unsafe { libc::fork() };
    if child == 0 {
        let outcome = publish(&name, setting, &page, bare);
        if let Err(error) = &outcome {
            eprintln!("event_latency: {error}");
        }
        unsafe { libc::_exit(outcome.is_err().into()) };
    }
    let node = NodeBuilder::new().create::<ipc::Service>()?;
    let listener = node.service_builder(&name).event().open_or_create()?.listener_builder().create()?;
    let service = node.service_builder(&name).publish_subscribe::<[u8]>().open_or_create()?;
    let subscriber = service.subscriber_builder().create()?;
    bind_to(setting.core, RECEIVER_PRIORITY);
    let mut latencies = Vec::with_capacity(setting.messages);
    let before = voluntary_switches();
    while latencies.len() < setting.messages && wait(&listener)? {
        if bare {
            latencies.push(now() - page.read());
            continue;
        }
        while let Some(sample) = subscriber.receive()? {
            let sent = i64::from_ne_bytes(sample.payload()[..8].try_into()?);
            latencies.push(now() - sent);
        }
    }
    let switches = voluntary_switches() - before;
    unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    if latencies.is_empty() {
        return Err("no event came".into());
    }
    latencies.sort_unstable();
    let count = latencies.len();
    println!(
        "{kind}: {count} came, median {} ns, 99 of 100 within {} ns, {:.2} voluntary switches each",
        latencies[count / 2],
        latencies[count * 99 / 100],
        switches as f64 / count as f64
    );
    Ok(())
}

/// The argument at this place, or `other` if there are fewer.
fn number(place: usize, name: &str, other: usize) -> Result<usize, Failure> {
    let Some(word) = std::env::args().nth(place) else {
        return Ok(other);
    };
    word.parse().map_err(|_| format!("{name} is '{word}'; give a whole number, as in {other}").into())
}

fn run() -> Result<(), Failure> {
    let setting = Setting {
        messages: number(1, "MESSAGES", 5000)?.max(1),
        interval: Duration::from_micros(number(2, "INTERVAL_US", 200)? as u64),
        size: number(3, "SIZE", 64)?.max(size_of::<i64>()),
        core: number(4, "CORE", 0)?,
    };
    set_log_level(LogLevel::Error);
    measure("event", &setting, true)?;
    measure("message", &setting, false)
}

fn main() {
    if let Err(error) = run() {
        eprintln!("event_latency: {error}");
        std::process::exit(2);
    }
}
