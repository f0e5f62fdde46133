package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// state is what a client knows of an object of its own.
type state struct {
	revision int64
	number   int64
	deleted  bool
}

// ledger is what was acknowledged, or seen by a watcher, since the beginning of the loop.
type ledger struct {
	sync.Mutex
	objects  map[string]state
	attempts map[string]int64 // the newest number ever sent, acknowledged or not
	deletes  map[string]bool  // deletes ever sent
	used     map[int64]string // which write a revision belongs to
	newest   int64
	acks     int64
	faults   []string
}

func (l *ledger) fault(format string, values ...any) {
	l.faults = append(l.faults, fmt.Sprintf(format, values...))
}

// record notes that a write exists; a revision that named another write before was given out twice.
func (l *ledger) record(name string, s state) {
	write := fmt.Sprintf("%s/%d/%t", name, s.number, s.deleted)
	if earlier, found := l.used[s.revision]; found && earlier != write {
		l.fault("revision %d was reused: first for %s, then for %s", s.revision, earlier, write)
	}
	l.used[s.revision] = write
	l.newest = max(l.newest, s.revision)
	if s.revision > l.objects[name].revision {
		l.objects[name] = s
	}
}

type item struct {
	Metadata struct {
		Name            string `json:"name"`
		ResourceVersion string `json:"resourceVersion"`
	} `json:"metadata"`
	Data map[string]string `json:"data"`
}

func (i item) state() state {
	revision, _ := strconv.ParseInt(i.Metadata.ResourceVersion, 10, 64)
	number, _ := strconv.ParseInt(i.Data["n"], 10, 64)
	return state{revision, number, false}
}

// verify compares what the restarted server holds with everything that was acknowledged or seen.
func (l *ledger) verify(c *client) error {
	content, err := c.must("GET", collection("configmaps"), nil)
	if err != nil {
		return err
	}
	answer := struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
		Items []item `json:"items"`
	}{}
	if err := json.Unmarshal(content, &answer); err != nil {
		return err
	}
	if revision, _ := strconv.ParseInt(answer.Metadata.ResourceVersion, 10, 64); revision < l.newest {
		l.fault("the server is at revision %d after %d was given out", revision, l.newest)
	}
	held := map[string]state{}
	for _, i := range answer.Items {
		held[i.Metadata.Name] = i.state()
	}
	for name, known := range l.objects {
		now, found := held[name]
		switch {
		case known.deleted && found:
			l.fault("%s came back after its deletion at %d was acknowledged", name, known.revision)
		case !known.deleted && !found && !l.deletes[name]:
			l.fault("%s is lost, acknowledged at %d", name, known.revision)
		case found && (now.number < known.number || now.revision < known.revision):
			l.fault("%s is at %+v although %+v was acknowledged", name, now, known)
		}
	}
	for name, now := range held {
		if now.number > l.attempts[name] {
			l.fault("%s holds %d, which was never sent", name, now.number)
		}
		if name != "kube-root-ca.crt" {
			l.record(name, now)
		}
	}
	return nil
}

// write makes, changes and removes objects of this writer alone until the server is gone.
func (l *ledger) write(c *client, o *options, prefix string, random *rand.Rand) {
	names := []string{}
	for number := int64(1); ; number++ {
		method, path, name := "POST", collection("configmaps"), fmt.Sprintf("%s-%d", prefix, number)
		if len(names) > 0 && random.Intn(3) > 0 {
			at := random.Intn(len(names))
			method, name = "PUT", names[at]
			if random.Intn(4) == 0 {
				method = "DELETE"
				names = append(names[:at], names[at+1:]...)
			}
			path += "/" + name
		}
		l.Lock()
		if method == "DELETE" {
			l.deletes[name] = true
		} else {
			l.attempts[name] = number
		}
		l.Unlock()
		var body []byte
		if method != "DELETE" {
			body, _ = configMap(o, name, "", map[string]string{"n": strconv.FormatInt(number, 10)})
		}
		code, content, err := c.call(method, path, body)
		if err != nil {
			return // killed: this write may or may not be there
		}
		l.Lock()
		if code >= 300 {
			l.fault("%s %s: %d %.200s", method, path, code, content)
			l.Unlock()
			return
		}
		l.acks++
		if method == "DELETE" {
			// The answer of a delete does not tell its revision; the object must simply stay away.
			known := l.objects[name]
			l.objects[name] = state{known.revision, known.number, true}
		} else {
			found := item{}
			_ = json.Unmarshal(content, &found)
			l.record(name, found.state())
		}
		l.Unlock()
		if method == "POST" {
			names = append(names, name)
		}
	}
}

// observe notes what a watcher sees: it must be as durable as what was acknowledged.
func (l *ledger) observe(c *client) {
	answer, err := c.open(context.Background(), "GET", collection("configmaps")+"?watch=1&resourceVersion="+strconv.FormatInt(l.newest, 10), nil)
	if err != nil {
		return
	}
	defer answer.Body.Close()
	for lines := bufio.NewReaderSize(answer.Body, 64<<10); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		event := struct {
			Type   string `json:"type"`
			Object item   `json:"object"`
		}{}
		if json.Unmarshal(line, &event) != nil || event.Object.Metadata.Name == "kube-root-ca.crt" {
			continue
		}
		seen := event.Object.state()
		seen.deleted = event.Type == "DELETED"
		l.Lock()
		l.record(event.Object.Metadata.Name, seen)
		l.Unlock()
	}
}

// killLoop starts a server on one data directory again and again and kills it under load. Arguments: the command.
func killLoop(o *options) error {
	random := rand.New(rand.NewSource(o.seed))
	l := &ledger{objects: map[string]state{}, attempts: map[string]int64{}, deletes: map[string]bool{}, used: map[int64]string{}}
	begin, starts := time.Now(), time.Duration(0)
	for round := range o.count + 1 {
		port, err := freePort()
		if err != nil {
			return err
		}
		address := fmt.Sprintf("127.0.0.1:%d", port)
		start := time.Now()
		process := exec.Command(o.arguments[0], append(o.arguments[1:], "--data-dir", o.directory, "--listen", address)...)
		process.Stderr = os.Stderr
		if err := process.Start(); err != nil {
			return err
		}
		if err := untilReady("https://"+address+"/readyz", time.Minute); err != nil {
			return errors.Join(err, process.Process.Kill())
		}
		starts += time.Since(start)
		err = l.round(o, round, round == o.count, random, process)
		_ = process.Process.Signal(syscall.SIGKILL)
		_ = process.Wait()
		if err != nil {
			return err
		}
		if (round+1)%50 == 0 || len(l.faults) > 0 {
			fmt.Fprintf(os.Stderr, "round %d: %d acknowledged writes, lost or wrong %d\n", round+1, l.acks, len(l.faults))
		}
		if len(l.faults) > 0 {
			break
		}
	}
	for _, fault := range l.faults {
		fmt.Println(fault)
	}
	fmt.Printf("kills=%d acknowledged=%d revisions=%d lost=%d seconds=%.0f start_ms=%.0f\n", o.count, l.acks, l.newest,
		len(l.faults), time.Since(begin).Seconds(), starts.Seconds()*1000/float64(o.count+1))
	if len(l.faults) > 0 {
		return errors.New("acknowledged writes were lost")
	}
	return nil
}

func (l *ledger) round(o *options, round int, last bool, random *rand.Rand, process *exec.Cmd) error {
	s, err := readKubeconfig(filepath.Join(o.directory, "kubeconfig"))
	if err != nil {
		return err
	}
	first := s.newClient(o)
	if err := prepare(first); err != nil {
		return err
	}
	if err := l.verify(first); err != nil || last {
		return err
	}
	if round%tidyRounds == tidyRounds-1 {
		if err := l.tidy(first); err != nil {
			return err
		}
	}
	before := l.acks
	var group sync.WaitGroup
	group.Go(func() { l.observe(s.newClient(o)) })
	for writer := range o.clients {
		mine := rand.New(rand.NewSource(random.Int63()))
		group.Go(func() { l.write(s.newClient(o), o, fmt.Sprintf("k%d-%d", round, writer), mine) })
	}
	// The kill must hit a server at work: no earlier than every writer is through its handshake and first write, on average.
	l.awaitAcks(before+int64(o.clients), 10*time.Second)
	time.Sleep(time.Duration(random.Intn(300)) * time.Millisecond)
	err = process.Process.Signal(syscall.SIGKILL)
	group.Wait()
	return err
}

// tidyRounds keeps the rounds short: everything is removed that often, which is one more thing that must stay done.
const tidyRounds = 25

func (l *ledger) tidy(c *client) error {
	for name := range l.objects {
		l.deletes[name] = true
	}
	if _, err := c.must("DELETE", collection("configmaps"), nil); err != nil {
		return err
	}
	for name, known := range l.objects {
		l.objects[name] = state{known.revision, known.number, true}
	}
	return nil
}

func (l *ledger) awaitAcks(wanted int64, limit time.Duration) {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		l.Lock()
		enough := l.acks >= wanted
		l.Unlock()
		if enough {
			return
		}
	}
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}
