package com.example.interop;

import java.io.Serializable;

/** A node of a ring: next leads back to the first. */
public class Node implements Serializable {
    private static final long serialVersionUID = 1L;

    private String name;
    private Node next;

    public Node() {
    }

    public Node(String name) {
        this.name = name;
    }

    public static Node ring(String... names) {
        Node first = new Node(names[0]);
        Node last = first;
        for (int i = 1; i < names.length; i++) {
            last.next = new Node(names[i]);
            last = last.next;
        }
        last.next = first;
        return first;
    }

    public String getName() {
        return name;
    }

    public void setName(String name) {
        this.name = name;
    }

    public Node getNext() {
        return next;
    }

    public void setNext(Node next) {
        this.next = next;
    }

    /** Rings are equal when a walk around sees the same names and ends where it began. */
    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Node)) {
            return false;
        }
        Node a = this;
        Node b = (Node) other;
        for (int i = 0; i < 1000; i++) {
            if (a == null || b == null) {
                return a == b;
            }
            if (!a.name.equals(b.name)) {
                return false;
            }
            a = a.next;
            b = b.next;
            if (a == this || b == other) {
                return a == this && b == other;
            }
        }
        return false;
    }

    @Override
    public int hashCode() {
        return name == null ? 0 : name.hashCode();
    }

    @Override
    public String toString() {
        return "Node(" + name + ")";
    }
}
