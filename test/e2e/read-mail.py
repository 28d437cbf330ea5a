# Reads messages with Python's own parser, which shares no code with what wrote them.
# stdin: a JSON list of messages, as text; stdout: a JSON list of what each says, its body as base64 of its bytes.
import base64
import email
import email.policy
import json
import sys

said = []
for raw in json.load(sys.stdin):
    message = email.message_from_bytes(raw.encode("ascii"), policy=email.policy.SMTP)
    said.append(
        {
            "messageId": message["Message-ID"],
            "from": [address.addr_spec for address in message["From"].addresses],
            "to": [address.addr_spec for address in message["To"].addresses],
            "subject": message["Subject"],
            "type": message.get_content_type(),
            "charset": message.get_content_charset(),
            "body": base64.b64encode(message.get_payload(decode=True)).decode("ascii"),
        }
    )
json.dump(said, sys.stdout)
