package lavaflow.simulation;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import lavaflow.controller.KubeApi;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Makes controllers do wrong without touching them: they see objects that are not quite what they are, write something else than
 * they wanted, or believe to have done what never happened.
 */
abstract class BrokenApi {
    final KubeApi real;

    BrokenApi(KubeApi real) {
        this.real = real;
    }

    /** Changes what is seen of an object, in place. */
    void seen(KubeApi.Kind kind, ObjectNode object) {}

    /** Changes what is written, in place. */
    void written(KubeApi.Kind kind, String subresource, ObjectNode object) {}

    /** Changes a patch before it is applied, in place. */
    void patched(KubeApi.Kind kind, String subresource, ObjectNode patch) {}

    /** Whether something is asked for twice. */
    boolean repeated(KubeApi.Kind kind, String subresource) {
        return false;
    }

    /** Kinds whose spec is seen otherwise than it is; what is written back has the real one. */
    List<KubeApi.Kind> disguised() {
        return List.of();
    }

    /** Whether those who look into one namespace do not see objects of a kind. */
    boolean hidden(KubeApi.Kind kind) {
        return false;
    }

    /** Whether an object is made only in the controllers' minds. */
    boolean imagined(KubeApi.Kind kind, String namespace, ObjectNode object) {
        return false;
    }

    /** Whether an object stays that somebody deletes. */
    boolean kept(KubeApi.Kind kind, String namespace, String name) {
        return false;
    }

    final KubeApi api() {
        return (KubeApi)
                Proxy.newProxyInstance(BrokenApi.class.getClassLoader(), new Class<?>[] {KubeApi.class}, this::handle);
    }

    private Object handle(Object proxy, Method method, Object[] arguments) throws Throwable {
        return switch (method.getName()) {
            case "find" -> {
                @SuppressWarnings("unchecked")
                Optional<ObjectNode> found = (Optional<ObjectNode>) call(method, arguments);
                found.ifPresent(object -> seen((KubeApi.Kind) arguments[0], object));
                yield found;
            }
            case "list" ->
                method.isDefault()
                        ? InvocationHandler.invokeDefault(proxy, method, arguments)
                        : list(method, arguments);
            case "watch" -> new SeenWatch((KubeApi.Kind) arguments[0], (KubeApi.Watch) call(method, arguments));
            case "create" ->
                imagined((KubeApi.Kind) arguments[0], (String) arguments[1], (ObjectNode) arguments[2])
                        ? arguments[2]
                        : write(method, arguments, "");
            case "update" -> write(method, arguments, (String) arguments[1]);
            case "patch" -> {
                Object[] changed = arguments.clone();
                ObjectNode patch = ((ObjectNode) arguments[5]).deepCopy();
                patched((KubeApi.Kind) arguments[0], (String) arguments[3], patch);
                changed[5] = patch;
                yield call(method, changed);
            }
            case "post" -> {
                if (repeated((KubeApi.Kind) arguments[0], (String) arguments[3])) {
                    call(method, arguments);
                }
                yield call(method, arguments);
            }
            case "delete" ->
                kept((KubeApi.Kind) arguments[0], (String) arguments[1], (String) arguments[2])
                        || (boolean) call(method, arguments);
            default -> call(method, arguments);
        };
    }

    private Object write(Method method, Object[] arguments, String subresource) throws Throwable {
        Object[] changed = arguments.clone();
        ObjectNode object = ((ObjectNode) arguments[2]).deepCopy();
        KubeApi.Kind kind = (KubeApi.Kind) arguments[0];
        if (disguised().contains(kind)) {
            real.find(kind, Workspace.namespace(object), Workspace.name(object))
                    .ifPresent(there -> object.set("spec", there.get("spec")));
        }
        written(kind, subresource, object);
        changed[2] = object;
        return call(method, changed);
    }

    @SuppressWarnings("unchecked")
    private Object list(Method method, Object[] arguments) throws Throwable {
        Object[] changed = arguments.clone();
        Consumer<ObjectNode> each = (Consumer<ObjectNode>) arguments[3];
        boolean nothing = hidden((KubeApi.Kind) arguments[0]) && !arguments[1].equals("");
        changed[3] = (Consumer<ObjectNode>) object -> {
            if (nothing) {
                return;
            }
            ObjectNode copy = object.deepCopy();
            seen((KubeApi.Kind) arguments[0], copy);
            each.accept(copy);
        };
        return call(method, changed);
    }

    private Object call(Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private final class SeenWatch implements KubeApi.Watch {
        private final KubeApi.Kind kind;
        private final KubeApi.Watch watch;

        SeenWatch(KubeApi.Kind kind, KubeApi.Watch watch) {
            this.kind = kind;
            this.watch = watch;
        }

        @Override
        public KubeApi.Progress next(Duration timeout) throws InterruptedException {
            KubeApi.Progress progress = watch.next(timeout);
            List<KubeApi.Event> events = progress.events().stream()
                    .map(event -> {
                        ObjectNode copy = event.object().deepCopy();
                        seen(kind, copy);
                        return new KubeApi.Event(event.deleted(), copy);
                    })
                    .toList();
            return new KubeApi.Progress(events, progress.revision());
        }

        @Override
        public void wake() {
            watch.wake();
        }

        @Override
        public void close() {
            watch.close();
        }
    }
}
