package com.example.recorder;

/** A case that cannot be set up, with the corpus' word for it. */
public final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    public Refused(String word) {
        super(word);
    }
}
