//! The publisher's functions.

use core::ffi::c_void;

use iceoryx2::port::publisher::{Publisher, PublisherCreateError};
use iceoryx2::port::update_connections::UpdateConnections;
use iceoryx2::port::LoanError;
use iceoryx2::prelude::*;
use iceoryx2::sample_mut_uninit::SampleMutUninit;

use crate::code::{failed, guarded, no_memory, Code};
use crate::memory;
use crate::port::{put, slots, Channel, Header, Line, Port, Shape};

type Loan = SampleMutUninit<Channel, [core::mem::MaybeUninit<Line>], Header>;

// Fields are dropped in this order.
pub struct ChannelPublisher {
    loans: Box<[Option<Loan>]>,
    publisher: Publisher<Channel, [Line], Header>,
    max_size: u64,
    _port: Port,
}

fn create(shape: &Shape) -> Result<ChannelPublisher, Code> {
    let port = unsafe { Port::open('p', shape) }?;
    memory::room_for_publisher(shape, &port.service)?;
    let publisher = port
        .service
        .publisher_builder()
        .initial_max_slice_len(Line::count(shape.max_size))
        .allocation_strategy(AllocationStrategy::Static)
        .max_loaned_samples(shape.loans as usize)
        .backpressure_strategy(BackpressureStrategy::DiscardData)
        .create()
        .map_err(|error| match error {
            PublisherCreateError::ExceedsMaxSupportedPublishers => Code::Full,
            PublisherCreateError::UnableToCreateDataSegment => no_memory(0),
            other => failed(other),
        })?;
    Ok(ChannelPublisher {
        loans: slots(shape.loans),
        publisher,
        max_size: shape.max_size,
        _port: port,
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_publisher_create(
    shape: *const Shape,
    out: *mut *mut ChannelPublisher,
) -> i32 {
    guarded(|| {
        let publisher = create(unsafe { &*shape })?;
        unsafe { *out = Box::into_raw(Box::new(publisher)) };
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_publisher_destroy(publisher: *mut ChannelPublisher) {
    guarded(|| {
        drop(unsafe { Box::from_raw(publisher) });
        Ok(())
    });
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_loan(
    publisher: *mut ChannelPublisher,
    size: u64,
    slot: *mut u32,
    data: *mut *mut c_void,
) -> i32 {
    guarded(|| {
        let this = unsafe { &mut *publisher };
        if size > this.max_size {
            return Err(Code::TooLarge);
        }
        let loan = this.publisher.loan_slice_uninit(Line::count(size)).map_err(|error| match error {
            LoanError::ExceedsMaxLoans | LoanError::OutOfMemory => Code::AllInUse,
            LoanError::ExceedsMaxLoanSize => Code::TooLarge,
            other => failed(other),
        })?;
        let free = put(&mut this.loans, loan)?;
        let bytes = this.loans[free].as_mut().ok_or(Code::Failed)?.payload_mut();
        unsafe {
            *data = bytes.as_mut_ptr().cast();
            *slot = free as u32;
        }
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_send(
    publisher: *mut ChannelPublisher,
    slot: u32,
    header: *const Header,
) -> i32 {
    guarded(|| {
        let this = unsafe { &mut *publisher };
        let mut loan = this.loans[slot as usize].take().ok_or(Code::Invalid)?;
        *loan.user_header_mut() = unsafe { *header };
        // The caller wrote the bytes; any bytes are a valid line.
        let message = unsafe { loan.assume_init() };
        message.send().map_err(failed)?;
        Ok(())
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_serve(publisher: *mut ChannelPublisher) -> i32 {
    guarded(|| {
        let this = unsafe { &mut *publisher };
        this.publisher.update_connections().map_err(failed)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_drop_loan(publisher: *mut ChannelPublisher, slot: u32) {
    guarded(|| {
        let this = unsafe { &mut *publisher };
        this.loans[slot as usize] = None;
        Ok(())
    });
}
