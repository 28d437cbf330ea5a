# Writes the messages of plan.json that are Perl's: messages.pl FOLDER.
use strict;
use warnings;
use Encode qw(encode);
use JSON::PP qw(decode_json);
use MIME::Entity;

my ($folder) = @ARGV;
open my $plan, '<:raw', "$folder/plan.json" or die $!;
my $all = decode_json(do { local $/; <$plan> });
my $word = sub { encode('MIME-Header', $_[0]) };
my $name = sub { $_[0] =~ /^[ -~]*$/ ? qq{"$_[0]"} : $word->($_[0]) };
my $part = sub {
    my ($type, $text) = @_;
    return (Type => $type, Charset => 'UTF-8', Encoding => 'quoted-printable', Data => encode('UTF-8', $text));
};
for my $one (@{ $all->{perl} }) {
    my @header = (
        From    => $name->($one->{from}) . ' <sender@example.org>',
        To      => $name->($one->{to}) . ' <reader@example.org>',
        Subject => $word->($one->{subject}),
        Date    => 'Tue, 03 Mar 2026 12:00:00 +0100',
    );
    my $body = $one->{kind} eq 'html' ? [ 'text/html', $one->{html} ] : [ 'text/plain', $one->{text} ];
    my $mail;
    if ($one->{kind} eq 'alternative') {
        $mail = MIME::Entity->build(@header, Type => 'multipart/alternative');
        $mail->attach($part->('text/plain', $one->{text}));
        $mail->attach($part->('text/html', $one->{html}));
        $mail->make_multipart('mixed', Force => 1) if @{ $one->{files} };
    }
    else {
        $mail = MIME::Entity->build(@header, $part->(@$body));
    }
    for my $name (@{ $one->{files} }) {
        $mail->attach(
            Type        => 'text/csv',
            Encoding    => 'base64',
            Disposition => 'attachment',
            Filename    => $word->($name),
            Data        => "a;b\n1;2\n",
        );
    }
    open my $file, '>:raw', "$folder/$one->{name}" or die $!;
    $mail->print($file);
}
