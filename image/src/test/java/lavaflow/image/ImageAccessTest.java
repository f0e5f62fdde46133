package lavaflow.image;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ImageAccessTest {
    private static Credential credential(int number) {
        return new Credential("registry.example", "user-" + number, "password", "");
    }

    private static ImageAccess openedBy(Credential... credentials) {
        ImageAccess access = ImageAccess.NOBODY;
        for (Credential credential : credentials) {
            access = access.openedBy(Optional.of(credential));
        }
        return access;
    }

    @Test
    void onlyTheNewestNotesAreKept() {
        ImageAccess access = ImageAccess.NOBODY;
        for (int i = 0; i <= ImageAccess.MOST_NOTES; i++) {
            access = access.openedBy(Optional.of(credential(i)));
        }
        assertThat(access.notes()).hasSize(ImageAccess.MOST_NOTES);
        assertThat(access.admits(List.of(credential(0)))).isFalse();
        assertThat(access.admits(List.of(credential(1)))).isTrue();
        assertThat(access.admits(List.of(credential(ImageAccess.MOST_NOTES)))).isTrue();
    }

    @Test
    void whatIsOpenStaysOpen() {
        ImageAccess access = openedBy(credential(1)).openedBy(Optional.empty());
        assertThat(access.admits(List.of())).isTrue();
        assertThat(access.openedBy(Optional.of(credential(2))).admits(List.of()))
                .isTrue();
        assertThat(access.notes()).isEmpty();
    }

    @Test
    void theSameCredentialIsNotedOnceForEachPlaceItComesFrom() {
        ImageAccess access =
                openedBy(credential(1), credential(1), credential(1).from("ns/a/1"));
        assertThat(access.notes()).hasSize(2);
        assertThat(access.openedBy(Optional.of(credential(1).from("ns/a/1")))).isSameAs(access);
        assertThat(access.openedBy(Optional.of(credential(2).from("ns/a/1"))).notes())
                .as("a secret that changed takes its own place")
                .hasSize(2);
    }

    @Test
    void aHashTellsNobodyThatTwoCredentialsAreTheSame() {
        AccessNote one = AccessNote.of(credential(1));
        AccessNote another = AccessNote.of(credential(1));
        assertThat(one.hash()).isNotEqualTo(another.hash());
        assertThat(one.isOf(credential(1))).isTrue();
        assertThat(one.isOf(new Credential("", "user-", "1password", ""))).isFalse();
    }

    @Test
    void itIsReadAsItWasWritten() {
        ImageAccess access = openedBy(credential(1), credential(2).from("ns/a/1"));
        assertThat(ImageAccess.parse(access.toJson())).isEqualTo(access);
        ImageAccess open = access.openedBy(Optional.empty());
        assertThat(ImageAccess.parse(open.toJson())).isEqualTo(open);
    }
}
