{{%AUTOESCAPE context="HTML"}}
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>Back to the application · {{PROVIDER}}</title>
<link rel="stylesheet" href="/assets/site.css">
<script src="/assets/send-form.js" defer></script>
</head>
<body class="narrow">
<main>
<h1>Back to <bdi>{{HOST}}</bdi></h1>
<form method="post" action="{{REDIRECT_URI}}" accept-charset="utf-8" id="send">
{{#FIELD}}<input type="hidden" name="{{NAME}}" value="{{VALUE}}">
{{/FIELD}}<p class="answers"><button class="primary">Continue</button></p>
</form>
</main>
</body>
</html>
