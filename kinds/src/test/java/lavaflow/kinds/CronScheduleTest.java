package lavaflow.kinds;

import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class CronScheduleTest {
    private static Optional<Instant> next(String schedule, String after) {
        return CronSchedule.parse(schedule, ZoneOffset.UTC).next(Instant.parse(after));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    0/15 * * * *        | 2012-07-09T14:45:00Z     | 2012-07-09T15:00:00Z
                    0/15 * * * *        | 2012-07-09T14:59:59Z     | 2012-07-09T15:00:00Z
                    * * * * *           | 2012-07-09T14:45:00.5Z   | 2012-07-09T14:46:00Z
                    20-35/15 * * * *    | 2012-07-09T15:45:00Z     | 2012-07-09T16:20:00Z
                    5-59/5 9-10 * * *   | 2012-07-09T10:59:30Z     | 2012-07-10T09:05:00Z
                    0 0 9 apr-oct ?     | 2012-10-10T00:00:00Z     | 2013-04-09T00:00:00Z
                    0 0 * feb mon       | 2012-07-09T23:35:00Z     | 2013-02-04T00:00:00Z
                    0 0 * Feb Mon/2     | 2012-07-09T23:35:00Z     | 2013-02-01T00:00:00Z
                    0 0 29 2 ?          | 2012-07-09T23:35:00Z     | 2016-02-29T00:00:00Z
                    0 0 1,15 * sun      | 2012-07-09T23:35:00Z     | 2012-07-15T00:00:00Z
                    0 0 1,15 * sun      | 2012-07-15T00:00:00Z     | 2012-07-22T00:00:00Z
                    0 0 */2 * mon       | 2012-07-02T00:00:00Z     | 2012-07-03T00:00:00Z
                    0 0 * * mon         | 2012-07-02T00:00:00Z     | 2012-07-09T00:00:00Z
                    @hourly             | 2012-07-09T15:00:00Z     | 2012-07-09T16:00:00Z
                    @daily              | 2012-12-31T15:00:00Z     | 2013-01-01T00:00:00Z
                    @midnight           | 2012-12-31T15:00:00Z     | 2013-01-01T00:00:00Z
                    @weekly             | 2012-07-09T15:00:00Z     | 2012-07-15T00:00:00Z
                    @monthly            | 2012-07-09T15:00:00Z     | 2012-08-01T00:00:00Z
                    @yearly             | 2012-07-09T15:00:00Z     | 2013-01-01T00:00:00Z
                    @annually           | 2012-07-09T15:00:00Z     | 2013-01-01T00:00:00Z
                    @every 1h30m        | 2012-07-09T15:00:00.7Z   | 2012-07-09T16:30:00Z
                    @every 10ms         | 2012-07-09T15:00:00Z     | 2012-07-09T15:00:01Z
                    """)
    void comesNext(String schedule, Instant after, Instant expected) {
        assertThat(CronSchedule.parse(schedule, ZoneOffset.UTC).next(after)).contains(expected);
    }

    @Test
    void neverComesOnDaysThatDoNotExist() {
        assertThat(next("59 23 31 2 *", "2012-07-09T15:00:00Z")).isEmpty();
    }

    @Test
    void followsTheZoneItNames() {
        assertThat(next("TZ=Asia/Tokyo 30 8 * * *", "2012-07-09T15:00:00Z"))
                .contains(Instant.parse("2012-07-09T23:30:00Z"));
    }

    @Test
    void whatFallsIntoTheHourThatIsLeftOutDoesNotCome() {
        // Clocks went from 02:00 to 03:00 on 11 March 2012.
        assertThat(next("TZ=America/New_York 30 2 11 Mar ?", "2012-03-11T05:00:00Z"))
                .contains(Instant.parse("2013-03-11T06:30:00Z"));
        assertThat(next("TZ=America/New_York 0 * * * ?", "2012-03-11T06:00:00Z"))
                .contains(Instant.parse("2012-03-11T07:00:00Z"));
    }

    @Test
    void whatFallsIntoTheHourThatIsRepeatedComesTwice() {
        // Clocks went from 02:00 back to 01:00 on 4 November 2012.
        List<String> times = new ArrayList<>();
        Instant time = Instant.parse("2012-11-04T04:00:00Z");
        CronSchedule schedule = CronSchedule.parse("TZ=America/New_York 0 1 * * ?", ZoneOffset.UTC);
        for (int i = 0; i < 3; i++) {
            time = schedule.next(time).orElseThrow();
            times.add(time.toString());
        }
        assertThat(times).containsExactly("2012-11-04T05:00:00Z", "2012-11-04T06:00:00Z", "2012-11-05T06:00:00Z");
    }

    @Test
    void aMidnightThatDoesNotExistIsPassed() {
        // Clocks went from 00:00 to 01:00 on 4 November 2018.
        assertThat(next("TZ=America/Sao_Paulo 0 9 10 * ?", "2018-10-29T09:00:00Z"))
                .contains(Instant.parse("2018-11-10T11:00:00Z"));
    }
}
