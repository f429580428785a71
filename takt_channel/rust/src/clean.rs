//! Removes what ended processes left.

use core::ffi::c_char;

use iceoryx2::node::{NodeState, NodeView};
use iceoryx2::prelude::*;

use crate::code::{failed, guarded, text, Code};
use crate::port::{config, keep_name, node_name, Channel};

fn clean(root: &str, prefix: &str, keep: Option<String>) -> Result<i64, Code> {
    set_log_level(LogLevel::Fatal);
    let config = config(root, prefix)?;
    let (kept_publisher, its_subscriber) = match &keep {
        Some(channel) => (Some(node_name('p', channel)?), Some(node_name('s', channel)?)),
        None => (None, None),
    };
    let mut dead = Vec::new();
    let mut publishers = Vec::new();
    let mut has_subscriber = false;
    Node::<Channel>::list(&config, |state| {
        match state {
            NodeState::Alive(view) => {
                let name = view.details().as_ref().map(|details| details.name());
                has_subscriber |= name.is_some() && name == its_subscriber.as_ref();
            }
            NodeState::Dead(view) => {
                let name = view.details().as_ref().map(|details| details.name());
                if name.is_some() && name == kept_publisher.as_ref() {
                    publishers.push(view);
                } else {
                    dead.push(view);
                }
            }
            _ => (),
        }
        CallbackProgression::Continue
    })
    .map_err(failed)?;
    publishers.sort_by_key(|view| {
        view.id().creation_time::<Channel>().map(|time| time.as_duration()).unwrap_or_default()
    });
    if has_subscriber {
        publishers.pop();
    }
    let mut removed = 0;
    for view in dead.into_iter().chain(publishers) {
        // Another process may clean at the same time.
        removed += i64::from(view.try_remove_stale_resources().is_ok());
    }
    Ok(removed)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn takt_channel_clean(
    root: *const c_char,
    prefix: *const c_char,
    keep: *const c_char,
) -> i64 {
    let mut removed = -1;
    guarded(|| {
        removed = unsafe { clean(text(root)?, text(prefix)?, keep_name(keep)) }?;
        Ok(())
    });
    removed
}
