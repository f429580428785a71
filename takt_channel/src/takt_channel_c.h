// The C interface between takt_channel's C++ and its Rust library (rust/src/lib.rs), which moves
// the messages.
//
// An object is used by one thread at a time; different objects are independent. Functions return a
// code, and no panic leaves them. Create and destroy allocate, open files and may block; the others
// do none of that, except that the first loan, send, serve or take after a peer joined or left maps
// its memory.
#ifndef TAKT_CHANNEL_C_H_
#define TAKT_CHANNEL_C_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum takt_channel_code
{
  takt_channel_ok = 0,
  takt_channel_empty = 1,         // take: no message is there
  takt_channel_all_in_use = 2,    // loan or take: the caller has as many as it asked for
  takt_channel_too_large = 3,     // loan: more bytes than the shape's max_size
  takt_channel_incompatible = 4,  // create: the channel is there and differs:
                                  // `takt_channel_last_words` says how; not by its depth
  takt_channel_full = 5,          // create: as many publishers or subscribers as the shape allows
  takt_channel_denied = 6,        // create: file permissions
  takt_channel_no_memory =
    7,  // create: `takt_channel_last_words` has the bytes that it needs; 0: not known
  takt_channel_invalid = 8,  // create: a bad name or shape
  takt_channel_failed = 9    // another error; `takt_channel_last_words` returns its name
};

typedef struct takt_channel_shape
{
  const char * root;    // the folder of files, owned by the user
  const char * prefix;  // beginning of names in shared memory
  const char * name;    // of the channel
  const char * type;    // of its messages: equal on both sides
  uint64_t max_size;    // bytes of the largest message
  uint32_t depth;       // messages that wait for a subscriber
  uint32_t history;     // messages that a late subscriber gets
  uint32_t held;        // messages that a subscriber has at once
  uint32_t loans;       // loans that a publisher has at once
  uint32_t publishers;
  uint32_t subscribers;
  uint32_t kept;  // killed publishers whose messages may still be taken
  uint64_t free;  // bytes of shared memory that are free
} takt_channel_shape;

typedef struct takt_channel_header  // of each message
{
  uint64_t publisher;  // differs for each publisher, also after a restart
  uint64_t sequence;   // from 0
  int64_t stamp;       // CLOCK_MONOTONIC at publish, ns
  uint64_t size;       // bytes
} takt_channel_header;

typedef struct takt_channel_publisher takt_channel_publisher;
typedef struct takt_channel_subscriber takt_channel_subscriber;

// The name of the error of the thread's last function that returned takt_channel_failed, or the
// difference that was takt_channel_incompatible; "": none.
const char * takt_channel_last_words(void);

// Removes what ended processes left below `root`, except the newest `kept` dead publishers if a
// living subscriber may take their messages. Returns the number of nodes that it removed, or -1.
int64_t takt_channel_clean(const char * root, const char * prefix, uint32_t kept);

int32_t takt_channel_publisher_create(
  const takt_channel_shape * shape, takt_channel_publisher ** out);
void takt_channel_publisher_destroy(takt_channel_publisher * publisher);
// `slot` names the loan until it is sent or dropped.
int32_t takt_channel_loan(
  takt_channel_publisher * publisher, uint64_t size, uint32_t * slot, void ** data);
int32_t takt_channel_send(
  takt_channel_publisher * publisher, uint32_t slot, const takt_channel_header * header);
// Connects to subscribers that came, gives them the history, and disconnects from those that left.
int32_t takt_channel_serve(takt_channel_publisher * publisher);
void takt_channel_drop_loan(takt_channel_publisher * publisher, uint32_t slot);

int32_t takt_channel_subscriber_create(
  const takt_channel_shape * shape, takt_channel_subscriber ** out);
void takt_channel_subscriber_destroy(takt_channel_subscriber * subscriber);
// The messages that wait for it: the shape's depth, or that of the channel if it is smaller.
uint32_t takt_channel_depth(const takt_channel_subscriber * subscriber);
// `slot` names the message until it is released.
int32_t takt_channel_take(
  takt_channel_subscriber * subscriber, uint32_t * slot, const void ** data,
  takt_channel_header * header);
void takt_channel_release(takt_channel_subscriber * subscriber, uint32_t slot);
// takt_channel_ok if a message waits, takt_channel_empty if none does.
int32_t takt_channel_has_message(takt_channel_subscriber * subscriber);

#ifdef __cplusplus
}
#endif

#endif  // TAKT_CHANNEL_C_H_
