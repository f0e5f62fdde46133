package lavaflow.remote;

import lavaflow.kube.ApiException;

import org.jspecify.annotations.Nullable;

/** Where answers come from that go on and on. */
interface Streams {
    /** Asks for something; everything about it is told to the listener, on any thread, also before this returns. */
    Stream open(String path, String accept, Listener listener);

    interface Listener {
        /** The server agreed. */
        void opened();

        /** Some bytes came; false if no more should come until {@link Stream#more} is called. */
        boolean bytes(byte[] chunk);

        /** Nothing more will come: because all was said, or because of a failure. */
        void ended(@Nullable ApiException why);
    }

    interface Stream {
        /** Lets more bytes come after the listener had enough. */
        void more();

        /** The listener hears nothing more, or not for long. */
        void cancel();
    }
}
