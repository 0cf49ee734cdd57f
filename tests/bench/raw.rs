//! The machine's limit: blocking sockets, one thread a slot, no HTTP library; the reply is read
//! until its last chunk and not looked at.

use std::io::{IoSlice, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use scenario::clock::nanos;

use crate::bare::{Done, Work};
use crate::data::Stamps;

pub(crate) fn run(work: &Arc<Work>) -> Vec<Done> {
    thread::scope(|scope| {
        let slots: Vec<_> = (0..work.slots).map(|_| scope.spawn(|| slot(work))).collect();
        slots.into_iter().map(|slot| slot.join().expect("a slot without panic")).collect()
    })
}

fn slot(work: &Work) -> Done {
    let mut done = Done::default();
    let mut stream = TcpStream::connect(&work.authority).expect("a connection");
    stream.set_nodelay(true).expect("an option");
    let mut buffer = vec![0; 64 << 10];
    while let Some(session) = work.take() {
        let mut times = Vec::with_capacity(session.turns().len());
        for index in 0..session.turns().len() {
            let body = session.body(index).rope();
            let start = Instant::now();
            let head = format!(
                "POST /v1/chat/completions HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
                 x-session-id: {}\r\ncontent-length: {}\r\n\r\n",
                work.authority,
                session.id(),
                body.len()
            );
            let mut slices = vec![IoSlice::new(head.as_bytes())];
            slices.extend(body.slices().iter().map(|slice| IoSlice::new(slice)));
            write_all(&mut stream, &mut slices);
            let mut first = None;
            let mut tail = [0; 5];
            while tail != *b"0\r\n\r\n" {
                let read = stream.read(&mut buffer).expect("bytes");
                assert!(read > 0, "the server closed the connection");
                first.get_or_insert_with(|| start.elapsed());
                done.received += read as u64;
                let kept = read.min(5);
                tail.rotate_left(kept);
                tail[5 - kept..].copy_from_slice(&buffer[read - kept..read]);
            }
            let stamps = [first.unwrap_or_default(), start.elapsed()].map(nanos);
            times.push(Stamps { first: stamps[0], end: stamps[1] });
            (done.turns, done.sent) = (done.turns + 1, done.sent + body.len());
        }
        done.sessions.push((Arc::clone(session.id()), times));
    }
    done
}

fn write_all(stream: &mut TcpStream, mut slices: &mut [IoSlice<'_>]) {
    while !slices.is_empty() {
        let written = stream.write_vectored(slices).expect("the request is sent");
        IoSlice::advance_slices(&mut slices, written);
    }
}
