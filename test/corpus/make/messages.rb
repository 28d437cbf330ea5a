# Writes the messages of plan.json that are Ruby's: messages.rb FOLDER.
require 'json'
require 'mail'

folder = ARGV.fetch(0)
JSON.parse(File.read("#{folder}/plan.json"))['ruby'].each do |one|
  mail = Mail.new(charset: 'UTF-8')
  address = ->(name, at) { Mail::Address.new.tap { |made| made.address = at; made.display_name = name }.format }
  mail.from = address.call(one['from'], 'sender@example.org')
  mail.to = address.call(one['to'], 'reader@example.org')
  mail.subject = one['subject']
  mail.date = DateTime.new(2026, 3, 3, 12)
  html = Mail::Part.new(content_type: 'text/html; charset=UTF-8', body: one['html'])
  text = Mail::Part.new(content_type: 'text/plain; charset=UTF-8', body: one['text'])
  case one['kind']
  when 'html' then mail.html_part = html
  when 'alternative' then mail.text_part, mail.html_part = text, html
  else mail.text_part = text
  end
  one['files'].each { |name| mail.attachments[name] = { mime_type: 'text/csv', content: "a;b\n1;2\n" } }
  File.binwrite("#{folder}/#{one['name']}", mail.to_s)
end
