package example;

import lavaflow.gang.Configuration;
import lavaflow.gang.Gang;
import lavaflow.gang.Plugin;
import lavaflow.gang.PluginFactory;
import lavaflow.gang.Session;

/** Serves gangs of a queue strictly in the order in which they were made; with {@code newestFirst: true} the other way round. */
public final class FifoPlugin implements Plugin, Plugin.GangOrder {
    private final boolean newestFirst;

    FifoPlugin(boolean newestFirst) {
        this.newestFirst = newestFirst;
    }

    @Override
    public int compareGangs(Gang one, Gang other) {
        int byAge = one.spec().created().compareTo(other.spec().created());
        return newestFirst ? -byAge : byAge;
    }

    /** Named in META-INF/services/lavaflow.gang.PluginFactory. */
    public static final class Factory implements PluginFactory {
        @Override
        public String name() {
            return "fifo";
        }

        @Override
        public Plugin make(Configuration.Entry entry, Session session) {
            return new FifoPlugin(entry.arguments().flag("newestFirst", false));
        }
    }
}
