<!DOCTYPE html>
<html lang="{{LANGUAGE}}" dir="{{DIRECTION}}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<link rel="icon" href="data:,">
<title>{{TITLE}} · {{PRODUCT}}</title>
<link rel="stylesheet" href="/assets/site.css">
{{#SCRIPT}}<script src="{{PATH}}" defer></script>
{{/SCRIPT}}
{{>FORM_ANSWER}}
</head>
<body class="narrow">
<header><p class="product"><bdi>{{PRODUCT}}</bdi></p></header>
<main>
{{>BODY}}
</main>
</body>
</html>
