{{%AUTOESCAPE context="HTML"}}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Access is not possible · {{PROVIDER}}</title>
<link rel="stylesheet" href="/assets/site.css">
</head>
<body class="narrow">
<main>
<h1>You cannot let <bdi>{{CLIENT}}</bdi> in</h1>
{{#NO_ACCOUNT}}<p>You do not belong to an account that it could get access to.</p>
{{/NO_ACCOUNT}}{{#HAS_ACCOUNTS}}<ul class="scopes">
{{#ACCOUNT}}<li><strong><bdi>{{NAME}}</bdi></strong><br>{{WHY}}</li>
{{/ACCOUNT}}</ul>
{{/HAS_ACCOUNTS}}
<p>Ask an owner of the account, or log in as somebody who may.</p>
<form method="post" action="/oauth/authorize">
<input type="hidden" name="transaction" value="{{TRANSACTION}}">
<input type="hidden" name="form_token" value="{{FORM_TOKEN}}">
<p class="answers"><button class="primary" name="answer" value="deny">Go back without access</button></p>
</form>
<p class="meta">You will be sent to <strong><bdi>{{HOST}}</bdi></strong>, which is told that it has no access.</p>
{{>SIGNED_IN}}
</main>
</body>
</html>
