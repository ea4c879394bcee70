package rule

// room is where the conditions of one document are made: a few large pieces of memory instead of one for each clause and list of values. The pieces
// live as long as any part of the document. The zero value is ready.
type room struct {
	clauses []Clause
	values  []Value
	// given is how many clauses and values were taken; a document that had many gets larger pieces.
	given int

	// What one side needs until the next one is read.
	words   []word
	skipped [][2]int
	open    []Clause
}

// largestPiece bounds a piece, in elements, unless one list needs more.
const largestPiece = 128

// takeClauses returns n clauses to fill in.
func (r *room) takeClauses(n int) []Clause {
	if n == 0 {
		return []Clause{}
	}
	if n > len(r.clauses) {
		r.clauses = make([]Clause, max(n, min(r.given, largestPiece)))
	}
	r.given += n
	out := r.clauses[:n:n]
	r.clauses = r.clauses[n:]
	return out
}

// takeValues returns an empty list with room for n values.
func (r *room) takeValues(n int) []Value {
	if n > len(r.values) {
		r.values = make([]Value, max(n, min(r.given, largestPiece)))
	}
	r.given += n
	out := r.values[:0:n]
	r.values = r.values[n:]
	return out
}
