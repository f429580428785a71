//! What a port takes of shared memory. iceoryx2 writes to files without memory, which ends the process with SIGBUS where /dev/shm is
//! full, so a port is refused before it makes a file that may not fit.

use iceoryx2::service::port_factory::PortFactory as _;

use crate::code::{no_memory, Code};
use crate::port::{Service, Shape};

const PAGE: u64 = 4096;
const LINE: u64 = 64;

/// Refuses a port whose node and channel do not fit.
pub fn room_for_port(shape: &Shape) -> Result<(), Code> {
    room(shape, of_port(shape))
}

/// Refuses a publisher whose messages, of the channel's depth, or connections do not fit.
pub fn room_for_publisher(shape: &Shape, service: &Service) -> Result<(), Code> {
    let subscribers = service.dynamic_config().number_of_subscribers() as u64;
    let message = shape.max_size.div_ceil(LINE) * LINE + 2 * LINE;
    room(
        shape,
        of_port(shape)
            + message * messages(shape, service)
            + of_connection(shape, service) * subscribers,
    )
}

/// Refuses a subscriber whose connections do not fit.
pub fn room_for_subscriber(shape: &Shape, service: &Service) -> Result<(), Code> {
    let publishers = service.dynamic_config().number_of_publishers() as u64;
    room(shape, of_port(shape) + of_connection(shape, service) * publishers)
}

fn room(shape: &Shape, needed: u64) -> Result<(), Code> {
    if needed <= shape.free { Ok(()) } else { Err(no_memory(needed)) }
}

/// The files of a node, and those of the channel, which the port may have to make: a page or two each.
fn of_port(shape: &Shape) -> u64 {
    const PAGES: u64 = 16;
    const LISTED: u64 = 256;
    let ports = u64::from(shape.publishers) + u64::from(shape.subscribers) + u64::from(shape.kept);
    PAGES * PAGE + LISTED * ports
}

/// The messages that a publisher has.
fn messages(shape: &Shape, service: &Service) -> u64 {
    let made = service.static_config();
    (made.max_subscribers()
        * (made.subscriber_max_buffer_size() + made.subscriber_max_borrowed_samples())
        + made.history_size()) as u64
        + u64::from(shape.loans)
}

/// The two queues between a publisher and a subscriber, and the list of the messages in use.
fn of_connection(shape: &Shape, service: &Service) -> u64 {
    let made = service.static_config();
    let queued =
        made.subscriber_max_buffer_size() + made.subscriber_max_borrowed_samples() + 2;
    const ENTRY: u64 = 8;
    2 * ENTRY * queued as u64 + messages(shape, service) + 2 * PAGE
}
