package lavaflow.apiserver;

record TableColumn(String name, String type, String format, String description, int priority) {}
