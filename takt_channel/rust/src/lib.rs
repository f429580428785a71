//! The functions of `../src/takt_channel_c.h`, whose comments are the contract. Moves messages with iceoryx2.
//!
//! Each port has a node of its own, so that ports share nothing and each may have its own thread.

mod clean;
mod code;
mod memory;
mod pool;
mod port;
mod publisher;
mod subscriber;
