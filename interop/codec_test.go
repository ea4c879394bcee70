package interop

import (
	"bufio"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/dubway-go/dubway/hessian"
)

// bigSamples are those of Java's Samples that are too long for a file in the repository.
func bigSamples() map[string]any {
	return map[string]any{
		"string:32768": strings.Repeat("c", 32768),
		"string:32769": strings.Repeat("c", 32769),
		"string:emoji": strings.Repeat("a", 32767) + strings.Repeat("😀", 20001),
		"bytes:70000":  []byte(strings.Repeat("x", 70000)),
	}
}

// TestJavaReadsWhatHessianWrites hands Java the bytes of hessian's golden file (which its own tests keep true) and lets
// it compare them with its samples.
func TestJavaReadsWhatHessianWrites(t *testing.T) {
	needServers(t)
	golden, err := os.ReadFile("../hessian/testdata/go.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.Write(golden)
	for name, v := range bigSamples() {
		var e hessian.Encoder
		e.Reset(nil)
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
		b.WriteString(name + " " + hex.EncodeToString(e.Bytes()) + "\n")
	}
	want := strings.Count(b.String(), "\n")
	for _, project := range []string{dubbo33, dubbo27} {
		lines, p := runJava(t, project, "Codec", nil, strings.NewReader(b.String()), "check")
		if len(lines) != want || want < 110 {
			t.Errorf("%s: %d verdicts for %d samples; log:\n%s", project, len(lines), want, p.log.tail())
		}
		for _, line := range lines {
			if !strings.HasSuffix(line, " ok") {
				t.Errorf("%s: %s", project, line)
			}
		}
	}
}

// TestHessianReadsWhatJavaWrites compares the recorded bytes in hessian/testdata with what Java writes today, and reads the long ones.
func TestHessianReadsWhatJavaWrites(t *testing.T) {
	needServers(t)
	for project, file := range map[string]string{dubbo33: "java-3.3.6.txt", dubbo27: "java-2.7.23.txt"} {
		recorded, err := os.ReadFile("../hessian/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		in := bufio.NewScanner(strings.NewReader(string(recorded)))
		for in.Scan() {
			name, text, _ := strings.Cut(in.Text(), " ")
			want[name] = text
		}
		lines, p := runJava(t, project, "Codec", nil, nil, "dump")
		if len(lines) < len(want) {
			t.Errorf("%s: %d lines, want %d or more; log:\n%s", project, len(lines), len(want), p.log.tail())
		}
		big := bigSamples()
		for _, line := range lines {
			name, text, _ := strings.Cut(line, " ")
			if recorded, ok := want[name]; ok && recorded != text {
				t.Errorf("%s: %s: Java writes %s, recorded is %s", project, name, text, recorded)
			}
			v, ok := big[name]
			if !ok {
				continue
			}
			b, err := hex.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			var d hessian.Decoder
			d.Reset(b)
			got, err := d.Decode()
			if gotBytes, isBytes := got.([]byte); isBytes {
				got, v = string(gotBytes), string(v.([]byte))
			}
			if err != nil || got != v || d.Remaining() != 0 {
				t.Errorf("%s: %s: %v, %d bytes left, equal %v", project, name, err, d.Remaining(), got == v)
			}
			delete(big, name)
		}
		if len(big) > 0 {
			t.Errorf("%s: not dumped: %v", project, len(big))
		}
	}
}
