package match

// PlainAddress reports whether text is an IPv4 address with a port from 1 to 65535 in the one way in which both print themselves: "10.0.0.1:20880", no
// zeros in front, no blanks, no zero as the first number. CompileAddress takes such a text in every dialect, and it means the providers whose
// address is this very text.
func PlainAddress(text string) bool {
	var number, at int
	for dots := 0; ; dots++ {
		if number, at = plainNumber(text, at); number < 0 || number > 255 || dots == 0 && number == 0 || at >= len(text) {
			return false
		}
		if dots == 3 {
			break
		}
		if text[at] != '.' {
			return false
		}
		at++
	}
	if text[at] != ':' {
		return false
	}
	number, at = plainNumber(text, at+1)
	return at == len(text) && number >= 1 && number <= 65535
}

// plainNumber reads the decimal number of at most five digits at an offset, and returns the offset behind it; the number is negative when there is none.
func plainNumber(text string, at int) (number, end int) {
	for end = at; end < len(text) && end < at+6 && '0' <= text[end] && text[end] <= '9'; end++ {
		number = 10*number + int(text[end]-'0')
	}
	if end == at || end > at+5 || text[at] == '0' && end > at+1 {
		return -1, end
	}
	return number, end
}
