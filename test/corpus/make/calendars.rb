# Writes the calendars of plan.json that are Ruby's, with the zones of TZInfo: calendars.rb FOLDER.
require 'icalendar'
require 'icalendar/tzinfo'
require 'json'

folder = ARGV.fetch(0)
JSON.parse(File.read("#{folder}/plan.json"))['ruby'].each do |one|
  calendar = Icalendar::Calendar.new
  one['events'].map { |event| event['zone'] }.uniq.each do |zone|
    calendar.add_timezone(TZInfo::Timezone.get(zone).ical_timezone(DateTime.new(2026, 1, 1))) unless zone == 'UTC'
  end
  one['events'].each do |event|
    start = DateTime.parse(event['start'])
    in_zone = ->(time) { Icalendar::Values::DateTime.new(time, 'tzid' => event['zone']) }
    calendar.event do |made|
      if event['whole_day']
        made.dtstart = Icalendar::Values::Date.new(start.to_date)
        made.dtend = Icalendar::Values::Date.new(start.to_date + 1)
      else
        made.dtstart = in_zone.call(start)
        made.duration = "PT#{event['minutes']}M"
      end
      made.uid = event['uid']
      made.summary = event['title']
      made.location = event['place']
      made.description = event['text']
    end
  end
  File.binwrite("#{folder}/#{one['name']}", calendar.to_ical)
end
