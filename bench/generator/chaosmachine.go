package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// clusterID is what everything of a cluster on this machine is named after.
func clusterID(directory string) string {
	sum := sha256.Sum256([]byte(directory))
	return hex.EncodeToString(sum[:])[:6]
}

// leftovers are things on this machine that carry the name of a cluster or lie in its directory.
func leftovers(directory string) map[string]bool {
	found, id := map[string]bool{}, clusterID(directory)
	note := func(kind, text string) {
		for _, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "lava-"+id) || strings.Contains(line, "lv"+id) || strings.Contains(line, "lavaflow/"+id) || strings.Contains(line, directory) {
				found[kind+" "+strings.TrimSpace(line)] = true
			}
		}
	}
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for _, line := range strings.Split(string(mounts), "\n") {
		if fields := strings.Fields(line); len(fields) > 4 {
			note("mount", fields[4])
		}
	}
	links, _ := exec.Command("ip", "-o", "link").Output()
	for _, line := range strings.Split(string(links), "\n") {
		if fields := strings.Fields(line); len(fields) > 1 {
			note("link", fields[1])
		}
	}
	tables, _ := exec.Command("nft", "list", "tables").Output()
	note("rules", string(tables))
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() != "supervisors" {
			note("cgroup", path)
		}
		return nil
	})
	_ = filepath.WalkDir("/run/lavaflow/"+id, func(path string, entry os.DirEntry, err error) error {
		if err == nil {
			note("file", path)
		}
		return nil
	})
	processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range processes {
		content, _ := os.ReadFile(path)
		if strings.Contains(string(content), directory) && !strings.Contains(string(content), "pod-kill-loop") {
			found["process "+strings.ReplaceAll(string(content), "\x00", " ")] = true
		}
	}
	return found
}

// ofPods are those leftovers that belong to single pods, which nothing may be left of once they are gone from the API.
func ofPods(directory string) []string {
	id, found := clusterID(directory), []string{}
	for thing := range leftovers(directory) {
		kind, name, _ := strings.Cut(thing, " ")
		mine := kind == "link" && strings.HasPrefix(name, "lv"+id+"-") || kind == "process" && strings.Contains(name, "conmon") ||
			kind == "cgroup" && strings.Contains(name, "/pod") || kind == "mount" && strings.HasPrefix(name, directory) && !strings.HasSuffix(name, "/volumes/memory") ||
			kind == "file" && (strings.Contains(name, "/namespaces/") || strings.Contains(name, "/runc/") || strings.Contains(name, "/s/") || strings.Contains(name, "/network/pods/"))
		if mine {
			found = append(found, thing)
		}
	}
	for _, part := range []string{"node/runtime/containers", "node/runtime/sandboxes", "node/runtime/exits", "node/runtime/departed", "node/volumes/pods", "node/volumes/memory", "node/pods", "node/logs"} {
		entries, _ := os.ReadDir(filepath.Join(directory, part))
		for _, entry := range entries {
			found = append(found, "file "+part+"/"+entry.Name())
		}
	}
	return found
}

// supervised is a container on this machine, as its supervisor's command line and record tell.
type supervised struct {
	supervisor, process int
	pod, container      string
}

func supervisedContainers(directory string) []supervised {
	found := []supervised{}
	processes, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range processes {
		content, _ := os.ReadFile(path)
		words := strings.Split(string(content), "\x00")
		if !strings.HasSuffix(words[0], "conmon") || !strings.Contains(string(content), directory) {
			continue
		}
		for i, word := range words[:len(words)-1] {
			if word != "-b" {
				continue
			}
			record := struct{ Labels map[string]string }{}
			text, _ := os.ReadFile(filepath.Join(words[i+1], "container.json"))
			number, _ := os.ReadFile(filepath.Join(words[i+1], "pid"))
			_ = json.Unmarshal(text, &record)
			one := supervised{pod: record.Labels["io.kubernetes.pod.name"], container: record.Labels["io.kubernetes.container.name"]}
			one.supervisor, _ = strconv.Atoi(filepath.Base(filepath.Dir(path)))
			one.process, _ = strconv.Atoi(string(number))
			if one.pod != "" {
				found = append(found, one)
			}
		}
	}
	return found
}

// strike kills a supervisor, or the first process of a container. Returns whose, or nothing if there is none.
func (k *churn) strike(directory string) {
	all := supervisedContainers(directory)
	if len(all) == 0 {
		return
	}
	victim := all[k.random.Intn(len(all))]
	pid, what := victim.process, "its process was killed"
	if k.random.Intn(2) == 0 || pid == 0 {
		pid, what = victim.supervisor, "its supervisor was killed"
	}
	k.disturb(victim.pod, what)
	k.trace("%s of %s: %s (%d)", victim.container, victim.pod, what, pid)
	if group, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup"); err == nil && strings.Contains(string(group), "lava-"+clusterID(directory)) {
		if syscall.Kill(pid, syscall.SIGKILL) == nil {
			k.strikes++
		}
	}
}

// isHeld tells whether any process has a lock file of these notes.
func isHeld(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil
}
