package lavaflow.gang;

/**
 * Makes plugins of one name. What implements it and is named in {@code META-INF/services/lavaflow.gang.PluginFactory} of a jar can be
 * named in the configuration file like the plugins that are always there.
 */
public interface PluginFactory {
    /** The name in the configuration file. */
    String name();

    /**
     * One that follows an entry of the file.
     *
     * @param session what it is asked in; also what it may look at
     */
    Plugin make(Configuration.Entry entry, Session session);
}
