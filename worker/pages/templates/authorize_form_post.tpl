<h1>Back to <bdi>{{HOST}}</bdi></h1>
<p>Your answer is ready. It is sent there when you continue.</p>
<form method="post" action="{{REDIRECT_URI}}" accept-charset="utf-8" id="send">
{{#FIELD}}<input type="hidden" name="{{NAME}}" value="{{VALUE}}">
{{/FIELD}}<p class="answers"><button class="primary">Continue</button></p>
</form>
