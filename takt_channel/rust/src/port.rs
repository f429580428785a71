//! What a publisher and a subscriber share: the channel's shape, its node and its service.

use core::ffi::c_char;

use iceoryx2::config::Config;
use iceoryx2::prelude::*;
use iceoryx2::service::builder::publish_subscribe::{
    PublishSubscribeCreateError as CreateError, PublishSubscribeOpenError as OpenError,
    PublishSubscribeOpenOrCreateError as ServiceError,
};
use iceoryx2::service::port_factory::publish_subscribe::PortFactory;
use iceoryx2::service::port_factory::PortFactory as _;

use crate::code::{failed, incompatible, text, Code};
use crate::memory;

pub type Channel = ipc::Service;
pub type Service = PortFactory<Channel, [Line], Header>;

/// A cache line of a message. Messages are slices of these, so that their bytes begin at multiples of a line: iceoryx2 would give
/// each byte of a slice of aligned bytes a line of its own.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Line([u8; 64]);

// It has bytes only.
unsafe impl ZeroCopySend for Line {}

impl Line {
    /// The lines for so many bytes.
    pub fn count(bytes: u64) -> usize {
        (bytes as usize).div_ceil(core::mem::size_of::<Line>())
    }
}

#[repr(C)]
pub struct Shape {
    root: *const c_char,
    prefix: *const c_char,
    name: *const c_char,
    message_type: *const c_char,
    pub max_size: u64,
    pub depth: u32,
    pub history: u32,
    pub held: u32,
    pub loans: u32,
    pub publishers: u32,
    pub subscribers: u32,
    pub kept: u32,
    /// Bytes of shared memory that are free.
    pub free: u64,
}

#[derive(Clone, Copy, Debug, Default, ZeroCopySend)]
#[repr(C)]
pub struct Header {
    pub publisher: u64,
    pub sequence: u64,
    pub stamp: i64,
    /// Bytes of the message.
    pub size: u64,
}

/// A node and the service of a channel on it.
pub struct Port {
    pub service: Service,
    _node: Node<Channel>,
}

/// Where the files of one user's channels are. Nothing is removed on the side: `clean` decides.
pub fn config(root: &str, prefix: &str) -> Result<Config, Code> {
    let mut config = Config::default();
    config.global.set_root_path(&root.try_into().map_err(|_| Code::Invalid)?);
    config.global.prefix = prefix.try_into().map_err(|_| Code::Invalid)?;
    config.global.service.cleanup_dead_nodes_on_open = false;
    config.global.node.cleanup_dead_nodes_on_creation = false;
    config.global.node.cleanup_dead_nodes_on_destruction = false;
    Ok(config)
}

/// How a node is called: `p` or `s`. Each channel has a folder of its own, so the name need not have the channel's.
pub fn node_name(kind: char) -> Result<NodeName, Code> {
    NodeName::new(&kind.to_string()).map_err(|_| Code::Invalid)
}

fn service_code(error: ServiceError) -> Code {
    match error {
        ServiceError::PublishSubscribeOpenError(error) => match error {
            OpenError::IncompatibleTypes | OpenError::VersionMismatch => {
                incompatible("messages of another version of takt".to_string())
            }
            OpenError::IncompatibleMessagingPattern
            | OpenError::IncompatibleAttributes
            | OpenError::DoesNotSupportRequestedMinBufferSize
            | OpenError::DoesNotSupportRequestedMinHistorySize
            | OpenError::DoesNotSupportRequestedMinSubscriberBorrowedSamples
            | OpenError::DoesNotSupportRequestedAmountOfPublishers
            | OpenError::DoesNotSupportRequestedAmountOfSubscribers
            | OpenError::DoesNotSupportRequestedAmountOfNodes
            | OpenError::IncompatibleOverflowBehavior => incompatible(format!("{error:?}")),
            OpenError::InsufficientPermissions => Code::Denied,
            OpenError::ExceedsMaxNumberOfNodes => Code::Full,
            other => failed(other),
        },
        ServiceError::PublishSubscribeCreateError(error) => match error {
            CreateError::InsufficientPermissions => Code::Denied,
            CreateError::SubscriberBufferMustBeLargerThanHistorySize => Code::Invalid,
            other => failed(other),
        },
        other => failed(other),
    }
}

/// Whether the channel, which another side made, is as `shape` asks. A smaller depth is no difference: the subscriber gets it.
fn check(shape: &Shape, message_type: &str, service: &Service) -> Result<(), Code> {
    let text = |key: &str| -> String {
        let found = service.attributes().iter().find(|one| one.key().to_string() == key);
        found.map(|one| one.value().to_string()).unwrap_or_default()
    };
    let equal = |what: &str, asked: String| match text(what) {
        there if there == asked => None,
        there => Some(format!("{what} {there}, and this side asks for {asked}")),
    };
    let enough = |what: &str, asked: u32, there: usize, kept: u32| {
        let there = there.saturating_sub(kept as usize);
        let small = there < asked as usize;
        small.then(|| format!("{what} {there}, and this side asks for {asked}"))
    };
    let made = service.static_config();
    let difference = equal("type", message_type.to_string())
        .or_else(|| equal("max_size", shape.max_size.to_string()))
        .or_else(|| enough("history", shape.history, made.history_size(), 0))
        .or_else(|| enough("held", shape.held, made.subscriber_max_borrowed_samples(), 0))
        .or_else(|| enough("publishers", shape.publishers, made.max_publishers(), shape.kept))
        .or_else(|| enough("subscribers", shape.subscribers, made.max_subscribers(), 0));
    difference.map_or(Ok(()), |words| Err(incompatible(words)))
}

impl Port {
    /// Opens the channel, and makes it if it is not there.
    pub unsafe fn open(kind: char, shape: &Shape) -> Result<Port, Code> {
        set_log_level(LogLevel::Fatal);
        memory::room_for_port(shape)?;
        let (root, prefix, name, message_type) = unsafe {
            (text(shape.root)?, text(shape.prefix)?, text(shape.name)?, text(shape.message_type)?)
        };
        let node = NodeBuilder::new()
            .name(&node_name(kind)?)
            .config(&config(root, prefix)?)
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .create::<Channel>()
            .map_err(failed)?;
        let requirement = AttributeVerifier::new()
            .require(
                &"type".try_into().map_err(|_| Code::Invalid)?,
                &message_type.try_into().map_err(|_| Code::Invalid)?,
            )
            .map_err(failed)?
            .require(
                &"max_size".try_into().map_err(|_| Code::Invalid)?,
                &shape.max_size.to_string().as_str().try_into().map_err(|_| Code::Invalid)?,
            )
            .map_err(failed)?;
        let service_name = name.try_into().map_err(|_| Code::Invalid)?;
        let builder = || {
            node.service_builder(&service_name)
                .publish_subscribe::<[Line]>()
                .user_header::<Header>()
                .enable_safe_overflow(true)
        };
        // First without what the shape asks for: iceoryx2 does not say which value of a channel differs.
        if let Ok(service) = builder().open() {
            check(shape, message_type, &service)?;
            return Ok(Port { service, _node: node });
        }
        let service = builder()
            .subscriber_max_buffer_size(shape.depth as usize)
            .history_size(shape.history as usize)
            .subscriber_max_borrowed_samples(shape.held as usize)
            .max_publishers((shape.publishers + shape.kept) as usize)
            .max_subscribers(shape.subscribers as usize)
            .max_nodes((shape.publishers + shape.subscribers + shape.kept) as usize)
            .open_or_create_with_attributes(&requirement)
            .map_err(service_code)?;
        Ok(Port { service, _node: node })
    }
}

/// Puts `value` into a free slot and returns its number.
pub fn put<T>(slots: &mut [Option<T>], value: T) -> Result<usize, Code> {
    let free = slots.iter().position(Option::is_none).ok_or(Code::AllInUse)?;
    slots[free] = Some(value);
    Ok(free)
}

/// `count` empty slots.
pub fn slots<T>(count: u32) -> Box<[Option<T>]> {
    (0..count).map(|_| None).collect()
}
