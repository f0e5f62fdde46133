package lavaflow;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;

/**
 * Sets up logging in code: reading an XML file for three loggers costs a tenth of a second at every start. {@code
 * LAVA_LOG} and {@code LAVA_REQUEST_LOG} set levels.
 */
public final class Logging extends ContextAwareBase implements Configurator {
    @Override
    public ExecutionStatus configure(LoggerContext context) {
        PatternLayoutEncoder encoder = new PatternLayoutEncoder();
        encoder.setContext(context);
        encoder.setPattern("%d{HH:mm:ss.SSS} %-5level %logger{0} %msg%n%ex{short}");
        encoder.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setTarget("System.err");
        console.setEncoder(encoder);
        console.start();
        var root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(level("LAVA_LOG", Level.INFO));
        root.addAppender(console);
        context.getLogger("org.eclipse.jetty").setLevel(Level.WARN);
        context.getLogger("lavaflow.requests").setLevel(level("LAVA_REQUEST_LOG", Level.INFO));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    private static Level level(String variable, Level otherwise) {
        return Level.toLevel(System.getenv(variable), otherwise);
    }
}
