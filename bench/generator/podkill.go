package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Rounds after which all pods must go, and nothing of a pod may be left on the machine.
const restRounds = 25

// podKillLoop kills a node under pods that come and go, -count times. Arguments: the command.
func podKillLoop(o *options) error {
	notes, err := os.MkdirTemp("", "pod-notes")
	if err != nil {
		return err
	}
	defer os.RemoveAll(notes)
	if err := os.MkdirAll(filepath.Join(notes, "fixtures"), 0o755); err != nil {
		return err
	}
	k := &churn{options: o, notes: notes, image: o.image, random: rand.New(rand.NewSource(o.seed)), lives: map[string]*life{}, said: map[string]bool{}, kinds: map[kind]int{}, moments: map[string]int{}}
	begin := time.Now()
	for round := 1; k.kills < o.count && len(k.faults) == 0; round++ {
		if err := k.round(round%restRounds == 0); err != nil {
			k.fault("round %d: %v", round, err)
		}
		if round%10 == 0 {
			fmt.Fprintf(os.Stderr, "%4.0fs round %d: %d kills, %d pods ended, %d faults\n", time.Since(begin).Seconds(), round, k.kills, k.ended, len(k.faults))
		}
	}
	if len(k.faults) == 0 {
		if err := k.round(true); err != nil {
			k.fault("last round: %v", err)
		}
	}
	k.down()
	for _, fault := range k.faults {
		fmt.Println(fault)
	}
	fmt.Printf("seed=%d kills=%d moments=%v strikes=%d pods=%d of %v commands=%d evicted=%d faults=%d seconds=%.0f\n",
		o.seed, k.kills, k.moments, k.strikes, k.ended, k.kinds, k.commands, k.evicted, len(k.faults), time.Since(begin).Seconds())
	if len(k.faults) > 0 {
		return errors.New("pods were not run as they should")
	}
	return nil
}

// process starts the program and tells when it is gone.
func (k *churn) process() (*exec.Cmd, string, chan error, error) {
	port, err := freePort()
	if err != nil {
		return nil, "", nil, err
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	process := exec.Command(k.options.arguments[0], append(k.options.arguments[1:], "--data-dir", k.options.directory, "--listen", address)...)
	process.Stderr = os.Stderr
	gone := make(chan error, 1)
	if err := process.Start(); err != nil {
		return nil, "", nil, err
	}
	go func() { gone <- process.Wait() }()
	return process, address, gone, nil
}

func (k *churn) kill(process *exec.Cmd, gone chan error, moment string) {
	k.trace("kill at %s", moment)
	k.kills++
	k.moments[moment]++
	_ = process.Process.Signal(syscall.SIGKILL)
	<-gone
}

func (k *churn) millis(most int) time.Duration {
	return time.Duration(k.random.Intn(most)) * time.Millisecond
}

// round starts the program, lets pods come and go, and ends it in one of many ways.
func (k *churn) round(rest bool) error {
	begin := time.Now()
	process, address, gone, err := k.process()
	if err != nil {
		return err
	}
	k.trace("round with %d lives, process %d", len(k.lives), process.Process.Pid)
	if !rest && k.random.Intn(5) == 0 {
		time.Sleep(k.millis(3000))
		k.kill(process, gone, "start")
		return nil
	}
	if err := untilReady("https://"+address+"/readyz", time.Minute); err != nil {
		return errors.Join(err, process.Process.Kill())
	}
	s, err := readKubeconfig(filepath.Join(k.options.directory, "kubeconfig"))
	if err != nil {
		return err
	}
	c := s.newClient(k.options)
	defer c.http.CloseIdleConnections()
	if err := errors.Join(prepare(c), k.install(c)); err != nil {
		return errors.Join(err, process.Process.Kill())
	}
	if rest || k.random.Intn(5) > 0 {
		if err := k.awaitNode(c, begin); err != nil {
			return errors.Join(err, process.Process.Kill())
		}
	}
	if rest {
		if err := k.rest(c); err != nil {
			return errors.Join(err, process.Process.Kill())
		}
		return k.shutDown(process, gone)
	}
	end := k.moment()
	switch k.random.Intn(12) {
	case 0: // in the middle of ending all pods
		if err := k.churn(c, end); err != nil {
			return errors.Join(err, process.Process.Kill())
		}
		k.disturbAll(stopped)
		down, err := k.startDown()
		if err != nil {
			return err
		}
		time.Sleep(300*time.Millisecond + k.millis(3000))
		k.kill(process, gone, "down")
		_ = down.Wait()
	case 1: // what cleans up after a kill is killed
		k.killAtWork(c, end, process, gone)
		k.disturbAll(stopped)
		down, err := k.startDown()
		if err != nil {
			return err
		}
		time.Sleep(k.millis(2500))
		k.kills++
		k.moments["clean-up"]++
		_ = down.Process.Kill()
		_ = down.Wait()
	case 2:
		k.killAtWork(c, end, process, gone)
		k.disturbAll(stopped)
		k.down()
	default:
		k.killAtWork(c, end, process, gone)
		if k.random.Intn(3) == 0 {
			k.strike(k.options.directory) // nobody looks
		}
	}
	return nil
}

const stopped = "the node was stopped"

// moment is when to end a round: after some pods have come or gone, or some seconds at the latest. Time alone would mean
// different things on different machines.
func (k *churn) moment() func() bool {
	latest, changes := time.Now().Add(20*time.Second), k.changes+k.random.Intn(30)
	pause := k.millis(300)
	var due time.Time
	return func() bool {
		if due.IsZero() && (k.changes >= changes || time.Now().After(latest)) {
			due = time.Now().Add(pause)
		}
		return !due.IsZero() && time.Now().After(due)
	}
}

// killAtWork kills the program while requests are on their way to it.
func (k *churn) killAtWork(c *client, end func() bool, process *exec.Cmd, gone chan error) {
	var killed atomic.Bool
	begun := false
	err := k.churn(c, func() bool {
		if !begun && end() {
			begun = true
			time.AfterFunc(k.millis(100), func() {
				killed.Store(true)
				_ = process.Process.Signal(syscall.SIGKILL)
			})
		}
		return false
	})
	if !killed.Load() {
		k.fault("before the kill: %v", err)
	}
	k.kill(process, gone, "work")
}

func (k *churn) startDown() (*exec.Cmd, error) {
	down := exec.Command(k.options.arguments[0], "down", "--data-dir", k.options.directory)
	return down, down.Start()
}

// awaitNode waits until the node of this process works: without, most kills would hit its start on a busy machine.
func (k *churn) awaitNode(c *client, since time.Time) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		content, err := c.must("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases", nil)
		if err != nil {
			return err
		}
		leases := struct {
			Items []struct{ Spec struct{ RenewTime time.Time } }
		}{}
		_ = json.Unmarshal(content, &leases)
		for _, lease := range leases.Items {
			if lease.Spec.RenewTime.After(since) {
				return nil
			}
		}
	}
	return errors.New("the node did not come up")
}

// shutDown ends the program as a user would, and looks for anything that it left.
func (k *churn) shutDown(process *exec.Cmd, gone chan error) error {
	if err := process.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	select {
	case <-gone:
	case <-time.After(80 * time.Second):
		k.kill(process, gone, "late")
		k.fault("the program did not end in 80 s")
	}
	k.nothingIsLeft("after its own end")
	return nil
}

func (k *churn) down() {
	if output, err := exec.Command(k.options.arguments[0], "down", "--data-dir", k.options.directory).CombinedOutput(); err != nil {
		k.fault("down: %v: %s", err, output)
	}
	k.nothingIsLeft("after down")
}

func (k *churn) nothingIsLeft(when string) {
	for thing := range leftovers(k.options.directory) {
		k.fault("left on the machine %s: %s", when, thing)
	}
}

// churn keeps pods going for a while: tends them, runs commands in them, kills some of their processes.
func (k *churn) churn(c *client, end func() bool) error {
	for !end() {
		if _, err := k.tend(c, true); err != nil {
			return err
		}
		switch k.random.Intn(20) {
		case 0, 1:
			k.command()
		case 2:
			k.strike(k.options.directory)
		case 3:
			_, _, _ = c.call("DELETE", fmt.Sprintf("%s/member-%d", collection("pods"), k.random.Intn(2)), nil)
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// command runs one in a pod that stays; its code must come through unless the connection was cut.
func (k *churn) command() {
	for _, l := range k.lives {
		if l.kind != lasting || !l.sure || time.Now().After(l.deleteAt) {
			continue
		}
		command := exec.Command("kubectl", "--kubeconfig", filepath.Join(k.options.directory, "kubeconfig"), "-n", namespace, "exec", l.name, "--",
			"sh", "-c", "cd /notes/"+l.name+"; exec 8>lock-command-$$; flock -n 8; sleep "+fmt.Sprint(k.random.Intn(3))+"; exit 43")
		k.commands++
		go func() {
			// 137 and 143: the pod was deleted meanwhile
			_, err := command.CombinedOutput()
			if code := command.ProcessState.ExitCode(); err == nil || code != 1 && code != 43 && code != 137 && code != 143 {
				k.faultLater(fmt.Sprintf("%s: a command ended with %d instead of 43", l.name, code))
			}
		}()
		return
	}
}

// rest lets all pods end, and looks whether anything of them is left on the machine while the node runs on.
func (k *churn) rest(c *client) error {
	if err := k.isServed(c); err != nil {
		k.fault("%v", err)
	}
	for _, path := range []string{apps("deployments"), apps("statefulsets")} {
		if _, err := c.must("DELETE", path+"?propagationPolicy=Background", nil); err != nil {
			return err
		}
	}
	left := 0
	for end := time.Now().Add(3 * time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		var err error
		if left, err = k.tend(c, false); err != nil {
			return err
		}
		if left == 0 && len(k.lives) == 0 {
			break
		}
	}
	for name, l := range k.lives {
		k.fault("%s (%s, %s) has not ended after three minutes", name, l.kind, l.disturbed)
	}
	if left > 0 {
		k.fault("after three minutes %d pods are left", left)
		return nil
	}
	var things []string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		if things = ofPods(k.options.directory); len(things) == 0 {
			return nil
		}
	}
	k.fault("of pods that are gone there is left: %s", strings.Join(things, ", "))
	return nil
}

// isServed asks the service by its address, which leads to one of two pods that were there all the time.
func (k *churn) isServed(c *client) error {
	content, err := c.must("GET", collection("services")+"/web", nil)
	if err != nil {
		return err
	}
	service := struct{ Spec struct{ ClusterIP string } }{}
	_ = json.Unmarshal(content, &service)
	web := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for end := time.Now().Add(90 * time.Second); ; time.Sleep(100 * time.Millisecond) {
		answer, err := web.Get("http://" + service.Spec.ClusterIP)
		if err == nil {
			text, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if string(text) == "fine\n" {
				return nil
			}
			err = fmt.Errorf("it said %q", text)
		}
		if time.Now().After(end) {
			return fmt.Errorf("the service web does not answer: %w", err)
		}
	}
}
