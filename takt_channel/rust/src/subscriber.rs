//! The subscriber's functions.

use core::ffi::c_void;

use iceoryx2::port::subscriber::{Subscriber, SubscriberCreateError};
use iceoryx2::port::ReceiveError;
use iceoryx2::sample::Sample;
use iceoryx2::service::port_factory::PortFactory as _;

use crate::code::{failed, guarded, incompatible, Code};
use crate::memory;
use crate::port::{put, slots, Channel, Header, Line, Port, Shape};

// Fields are dropped in this order.
pub struct ChannelSubscriber {
    held: Box<[Option<Sample<Channel, [Line], Header>>]>,
    subscriber: Subscriber<Channel, [Line], Header>,
    _port: Port,
}

fn create(shape: &Shape) -> Result<ChannelSubscriber, Code> {
    let port = unsafe { Port::open('s', shape) }?;
    memory::room_for_subscriber(shape, &port.service)?;
    let subscriber = port
        .service
        .subscriber_builder()
        .buffer_size(port.service.static_config().subscriber_max_buffer_size().min(shape.depth as usize))
        .history_request(shape.history as usize)
        .create()
        .map_err(|error| match error {
            SubscriberCreateError::ExceedsMaxSupportedSubscribers => Code::Full,
            SubscriberCreateError::BufferSizeExceedsMaxSupportedBufferSizeOfService
            | SubscriberCreateError::HistoryRequestExceedsHistorySizeOfService => {
                incompatible(format!("{error:?}"))
            }
            other => failed(other),
        })?;
    Ok(ChannelSubscriber { held: slots(shape.held), subscriber, _port: port })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_subscriber_create(
    shape: *const Shape,
    out: *mut *mut ChannelSubscriber,
) -> i32 {
    guarded(|| {
        let subscriber = create(unsafe { &*shape })?;
        unsafe { *out = Box::into_raw(Box::new(subscriber)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_subscriber_destroy(subscriber: *mut ChannelSubscriber) {
    guarded(|| {
        drop(unsafe { Box::from_raw(subscriber) });
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_depth(subscriber: *const ChannelSubscriber) -> u32 {
    let this = unsafe { &*subscriber };
    this.subscriber.buffer_size() as u32
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_take(
    subscriber: *mut ChannelSubscriber,
    slot: *mut u32,
    data: *mut *const c_void,
    header: *mut Header,
) -> i32 {
    guarded(|| {
        let this = unsafe { &mut *subscriber };
        if this.held.iter().all(Option::is_some) {
            return Err(Code::AllInUse);
        }
        let received = this.subscriber.receive().map_err(|error| match error {
            ReceiveError::ExceedsMaxBorrows => Code::AllInUse,
            other => failed(other),
        })?;
        let sample = received.ok_or(Code::Empty)?;
        unsafe { *header = *sample.user_header() };
        let free = put(&mut this.held, sample)?;
        let bytes = this.held[free].as_ref().ok_or(Code::Failed)?.payload();
        unsafe {
            *data = bytes.as_ptr().cast();
            *slot = free as u32;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_release(subscriber: *mut ChannelSubscriber, slot: u32) {
    guarded(|| {
        let this = unsafe { &mut *subscriber };
        this.held[slot as usize] = None;
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_has_message(subscriber: *mut ChannelSubscriber) -> i32 {
    guarded(|| {
        let this = unsafe { &*subscriber };
        if this.subscriber.has_samples().map_err(failed)? { Ok(()) } else { Err(Code::Empty) }
    })
}
