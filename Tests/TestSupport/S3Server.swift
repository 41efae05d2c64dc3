import Foundation
import TintypeTransport
import TintypeStores

/// The S3 of moto on a free port, with one bucket, `pictures`, and one key for it. It checks signatures as Amazon does.
package final class S3Server: Sendable {
    package let endpoint: String
    /// The environment of a client.
    package let environment: [String: String]
    private let process: ChildProcess

    /// - Throws: `TestFailure` when moto is not installed: run the tests with scripts/test.
    package init() async throws {
        guard let program = ProcessInfo.processInfo.environment["TINTYPE_S3"], !program.isEmpty else {
            throw TestFailure("TINTYPE_S3 names no moto_server: run the tests by scripts/test")
        }
        let port = try FreePort.find()
        endpoint = "http://127.0.0.1:\(port)"
        process = try ChildProcess(program, ["-H", "127.0.0.1", "-p", "\(port)"])
        let url = endpoint + "/moto-api/"
        while (try? await HTTP.get(url)) == nil {
            guard process.exitStatus == nil else { throw TestFailure("moto ended: \(process.errors)") }
            try await Task.sleep(for: .milliseconds(50))
        }
        let python = URL(fileURLWithPath: program).deletingLastPathComponent().appending(path: "python").path
        let preparation = try ChildProcess(python, ["-c", Self.preparation, endpoint])
        guard await preparation.finished() == 0 else { throw TestFailure("moto: \(preparation.errors)") }
        let words = preparation.output.split(whereSeparator: \.isWhitespace).map(String.init)
        guard words.count == 2 else { throw TestFailure("moto said \(preparation.output)") }
        environment = ["AWS_ACCESS_KEY_ID": words[0], "AWS_SECRET_ACCESS_KEY": words[1]]
    }

    /// Returns the URL of a store in the bucket.
    package func url(_ prefix: String) -> String { "s3://pictures/\(prefix)?endpoint=\(endpoint)&region=eu-central-1" }

    /// Puts an object into the bucket.
    /// - Parameter key: its key, escaped as in a path.
    @Loop package func put(_ bytes: [UInt8], _ key: String, type: String) async throws {
        guard let credentials = S3Credentials(environment: environment) else { throw TestFailure("moto has no keys") }
        let bucket = S3Bucket(try S3Address("s3://pictures?endpoint=\(endpoint)&region=eu-central-1"), credentials, called: "The bucket")
        _ = try await bucket.send("PUT", key, headers: [("Content-Type", type)], body: bytes)
    }

    package func kill9() async {
        process.signal(SIGKILL)
        _ = await process.exit()
    }

    private static let preparation = """
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
}
