//! Removes what ended processes left.

use core::ffi::c_char;

use iceoryx2::node::{NodeState, NodeView};
use iceoryx2::prelude::*;

use crate::code::{failed, guarded, text, Code};
use crate::port::{config, node_name, Channel};

fn clean(root: &str, prefix: &str, kept: u32) -> Result<i64, Code> {
    set_log_level(LogLevel::Fatal);
    let config = config(root, prefix)?;
    let (publisher_name, subscriber_name) = (node_name('p')?, node_name('s')?);
    let mut dead = Vec::new();
    let mut publishers = Vec::new();
    let mut has_subscriber = false;
    Node::<Channel>::list(&config, |state| {
        match state {
            NodeState::Alive(view) => {
                let name = view.details().as_ref().map(|details| details.name());
                has_subscriber |= name == Some(&subscriber_name);
            }
            NodeState::Dead(view) => {
                let name = view.details().as_ref().map(|details| details.name());
                if name == Some(&publisher_name) {
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
        publishers.truncate(publishers.len().saturating_sub(kept as usize));
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
    kept: u32,
) -> i64 {
    let mut removed = -1;
    guarded(|| {
        removed = unsafe { clean(text(root)?, text(prefix)?, kept) }?;
        Ok(())
    });
    removed
}
