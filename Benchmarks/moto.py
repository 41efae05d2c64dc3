"""The S3 of moto, a test server in Python, as the tests have it: one bucket, one key, and each signature is checked."""

import os
import subprocess

from deployment import until
from nginx import answers, free_port

PREPARATION = """
import sys, json, boto3, urllib.request
url = sys.argv[1]
def client(name):
    return boto3.client(name, endpoint_url=url, region_name="eu-central-1", aws_access_key_id="root", aws_secret_access_key="root")
client("s3").create_bucket(Bucket="pictures", CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
iam = client("iam")
iam.create_user(UserName="tintype")
everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "s3:*", "Resource": "*"}]}
iam.put_user_policy(UserName="tintype", PolicyName="all", PolicyDocument=json.dumps(everything))
key = iam.create_access_key(UserName="tintype")["AccessKey"]
# From now on every request has to be signed, and its signature is checked.
request = urllib.request.Request(url + "/moto-api/reset-auth", data=b"0", method="POST", headers={"Content-Type": "text/plain"})
urllib.request.urlopen(request).read()
print(key["AccessKeyId"], key["SecretAccessKey"])
"""


class Moto:
    """A server whose key is in the environment of this program from now on. `program` is moto_server, with its Python beside it."""

    def __init__(self, program, folder):
        port = free_port()
        endpoint = f"http://127.0.0.1:{port}"
        with open(f"{folder}/moto", "w") as log:
            self.process = subprocess.Popen([program, "-H", "127.0.0.1", "-p", str(port)], stdout=log, stderr=log)
        until(lambda: answers(port))
        python = f"{os.path.dirname(program)}/python"
        words = subprocess.run([python, "-c", PREPARATION, endpoint], check=True, capture_output=True, text=True).stdout.split()
        os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"] = words
        self.url = f"s3://pictures/bench?endpoint={endpoint}&region=eu-central-1"

    def stop(self):
        self.process.kill()
        self.process.wait()
