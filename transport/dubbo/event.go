package dubbo

// Bodies of event frames, Hessian 2 encoded.
const (
	heartbeatBody = "N"     // null
	readOnlyBody  = "\x01R" // "R": the server goes away, send it nothing new
	writableBody  = "\x01W" // "W": the server takes calls again (Dubbo 3)
	oldHeartbeat  = "\x01H" // tolerated: some peers send text
	_             = "\x00"  // an empty string, also taken as a heartbeat
)

type event uint8

const (
	eventHeartbeat event = iota
	eventReadOnly
	eventWritable
	eventOther
)

// eventOf tells what an event frame says. Whatever is not known is answered like a heartbeat and has no effect.
func eventOf(body []byte) event {
	switch string(body) {
	case heartbeatBody, "", oldHeartbeat:
		return eventHeartbeat
	case readOnlyBody:
		return eventReadOnly
	case writableBody:
		return eventWritable
	}
	return eventOther
}

func appendEvent(dst []byte, h Header, body string) []byte {
	h.Event, h.Serialization, h.Body = true, serialHessian2, len(body)
	if !h.Request {
		h.Status = StatusOK
	}
	return append(AppendHeader(dst, h), body...)
}

// heartbeatReply answers a two-way event.
func heartbeatReply(dst []byte, id int64) []byte {
	return appendEvent(dst, Header{ID: id}, heartbeatBody)
}
