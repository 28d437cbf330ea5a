# Writes the calendars of plan.json that are Perl's: calendars.pl FOLDER.
use strict;
use warnings;
use Data::ICal;
use Data::ICal::Entry::Event;
use Encode qw(encode);
use JSON::PP qw(decode_json);

my ($folder) = @ARGV;
open my $plan, '<:raw', "$folder/plan.json" or die $!;
my $all = decode_json(do { local $/; <$plan> });
for my $one (@{ $all->{perl} }) {
    my $calendar = Data::ICal->new;
    for my $event (@{ $one->{events} }) {
        my $start = $event->{start} =~ s/[-:]//gr;
        my $made = Data::ICal::Entry::Event->new;
        $made->add_properties(
            uid         => $event->{uid},
            summary     => $event->{title},
            location    => $event->{place},
            description => $event->{text},
            dtstamp     => '20260101T000000Z',
            $event->{whole_day}
                ? (dtstart => [ substr($start, 0, 8), { VALUE => 'DATE' } ])
                : (dtstart => "${start}Z", duration => "PT$event->{minutes}M"),
        );
        $calendar->add_entry($made);
    }
    open my $file, '>:raw', "$folder/$one->{name}" or die $!;
    print $file encode('UTF-8', $calendar->as_string(crlf => "\r\n"));
}
