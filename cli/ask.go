package cli

import "github.com/dubway-go/dubway/admin"

// ask puts a question to the daemon's admin API. Its error has the exit code and, when no daemon answers, says how to get one.
func ask[T any](s *streams, question func(*admin.Client) (T, error)) (answer T, err error) {
	client, err := s.client()
	if err != nil {
		return answer, err
	}
	defer client.Close()
	answer, err = question(client)
	return answer, asked(err)
}

// show asks and prints the answer: as JSON when that is wanted, else as text does it.
func show[T any](s *streams, question func(*admin.Client) (T, error), text func(T)) error {
	answer, err := ask(s, question)
	if err != nil {
		return err
	}
	if s.wantsJSON() {
		return s.json(answer)
	}
	text(answer)
	return nil
}
