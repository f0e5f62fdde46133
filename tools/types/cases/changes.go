package main

import (
	"bytes"
	"encoding/json"
	"math/rand"
)

// node is a JSON value that keeps the order of keys and may hold one twice.
type node struct {
	keys     []string // of an object
	children []*node  // of an object or a list
	text     string   // of anything else, as it is written
	list     bool
}

func parse(body []byte) *node {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	return read(decoder)
}

func read(decoder *json.Decoder) *node {
	token, err := decoder.Token()
	if err != nil {
		panic(err)
	}
	delimiter, ok := token.(json.Delim)
	if !ok {
		text, err := json.Marshal(token)
		if err != nil {
			panic(err)
		}
		return &node{text: string(text)}
	}
	n := &node{list: delimiter == '['}
	for decoder.More() {
		if !n.list {
			key, err := decoder.Token()
			if err != nil {
				panic(err)
			}
			n.keys = append(n.keys, key.(string))
		}
		n.children = append(n.children, read(decoder))
	}
	if _, err := decoder.Token(); err != nil {
		panic(err)
	}
	return n
}

func (n *node) print(out *bytes.Buffer) {
	switch {
	case n.text != "":
		out.WriteString(n.text)
	case n.list:
		out.WriteByte('[')
		for i, child := range n.children {
			if i > 0 {
				out.WriteByte(',')
			}
			child.print(out)
		}
		out.WriteByte(']')
	default:
		out.WriteByte('{')
		for i, child := range n.children {
			if i > 0 {
				out.WriteByte(',')
			}
			key, _ := json.Marshal(n.keys[i])
			out.Write(key)
			out.WriteByte(':')
			child.print(out)
		}
		out.WriteByte('}')
	}
}

// replacements are values of every type, plain and borderline.
var replacements = []string{
	`null`, `""`, `0`, `false`, `[]`, `{}`, `true`, `1`, `-1`, `"x"`, `[null]`, `{"a":null}`, `[1]`, `["x"]`, `{"a":1}`, `{"b":"x","a":"y"}`, `1.5`, `2.0`,
	`2147483647`, `2147483648`, `9223372036854775807`, `9223372036854775808`, `-2147483649`, `"100m"`, `"0.5"`, `"1024Mi"`, `"1e3"`, `"5 Gi"`, `"80"`,
	`"2020-01-01T00:00:00Z"`, `"2020-01-01T02:00:00.123456+02:00"`, `"2020-02-30T00:00:00Z"`, `"0001-01-01T00:00:00Z"`, `"YQ=="`, `"YQ"`, `"YQ=\n="`, `"YQ=a"`,
	`"\ud83d\ude00<&>\u2028"`, `"\ud83d"`, `[{}]`, `[{"name":"x"},{}]`, `[[]]`, `{"a":{}}`, `{"a":[]}`, `{"type":"string"}`, `[{"type":"string","foo":1}]`,
}

// change alters one place: it walks down at random and does something where it stops.
func (n *node) change(random *rand.Rand) {
	at := n
	for range 100 {
		if len(at.children) == 0 {
			return
		}
		i := random.Intn(len(at.children))
		if at == n && (n.keys[i] == "kind" || n.keys[i] == "apiVersion") {
			continue // other code is responsible for them
		}
		if child := at.children[i]; len(child.children) > 0 && random.Intn(4) > 0 {
			at = child
			continue
		}
		at.alter(i, random)
		return
	}
}

func (n *node) alter(i int, random *rand.Rand) {
	switch random.Intn(6) {
	case 0: // drop
		n.children = append(n.children[:i], n.children[i+1:]...)
		if !n.list {
			n.keys = append(n.keys[:i], n.keys[i+1:]...)
		}
	case 1: // repeat, sometimes with another value
		again := n.children[i]
		if random.Intn(2) == 0 {
			again = &node{text: replacements[random.Intn(len(replacements))]}
		}
		n.children = append(n.children, again)
		if !n.list {
			n.keys = append(n.keys, n.keys[i])
		}
	case 2: // a key nobody knows
		if !n.list {
			n.keys[i] += []string{"x", "\"", ".y", "é"}[random.Intn(4)]
		}
	default:
		n.children[i] = &node{text: replacements[random.Intn(len(replacements))]}
	}
}

// breakText damages the text itself.
func breakText(random *rand.Rand, body *bytes.Buffer) {
	data := body.Bytes()
	at := random.Intn(len(data))
	switch random.Intn(3) {
	case 0:
		body.Truncate(at)
	case 1:
		data[at] = []byte(`{}[]",:\x01 tfn0-.e'`)[random.Intn(18)]
	default:
		body.WriteString([]string{" ", "x", "{}", "\n"}[random.Intn(4)])
	}
}
